// Package atomic takes the place of package sync/atomic in rewritten code. Values are in the
// same memory as in that package, for all users. Under control every use is a scheduling point
// of package sched.
package atomic
