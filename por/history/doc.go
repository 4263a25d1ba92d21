// Package history judges what concurrent calls return. A closure records the calls of an execution
// in a [History]; [Linearizable] compares them with a model, and [Refines] with what the same calls
// return one at a time. Both search as por.Check does, with the same options.
package history
