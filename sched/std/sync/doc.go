// Package sync is what rewritten code gets when it imports package sync. Its
// types are those of that package, and under control those of package sched.
//
// Every execution begins with what was left outside of control: a Mutex that
// was locked there is locked, a Once done there is done. What an execution
// does is gone when it is over.
package sync
