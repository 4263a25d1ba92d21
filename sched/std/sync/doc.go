// Package sync takes the place of package sync in rewritten code. Its types are those of that
// package, and under control those of package sched.
//
// Every execution begins with the state that code outside of control has left: a Mutex locked
// there is locked, a Once done there is done. The effects of an execution are undone after it.
package sync
