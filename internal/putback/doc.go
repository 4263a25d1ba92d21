// Package putback puts files back that executions have changed. A [Keeper] belongs to the
// executions of one search. It keeps a file aside before an execution changes it for the first
// time, and puts the file back when the execution is over. What is kept aside is also in a
// journal, so that [Recover] can put back the files of a process that was killed.
//
// The functions of this package must be called on goroutines that are not controlled, since
// package os reports what controlled ones do with files.
package putback
