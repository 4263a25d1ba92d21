// Package atomic is what rewritten code gets when it imports package
// sync/atomic. Values live in the same memory as in that package, whoever uses
// them; under control every use is a scheduling point of package sched.
package atomic
