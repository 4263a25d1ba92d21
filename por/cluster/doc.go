// Package cluster explores one test on many machines, which meet at a NATS server with JetStream. It is a
// module of its own, so that nobody who does not use it depends on NATS. The command por-cluster is made of it.
//
// [Serve] runs the test program: in it por.Check searches as ever, but for what is left to explore, which
// goes to a work queue, and the results, which come from a stream. [Work] runs the same program as a worker.
// Neither knows what is in the messages: what was explored, and what that has left, is for the two programs.
//
// # Streams
//
// A search has two streams. In that of jobs a job is kept until its result is known: a worker that
// ends, or loses its connection, leaves it to another one after [Options.Patience]. In that of results there
// is one for each job, the first one: what is explored twice counts once. All that a coordinator
// knows follows from the results, in whatever order they come. So one that is started anew asks for
// the same jobs as the one before, from the first on, and is given the results that there are.
//
// The streams know the [Fingerprint] of the search, which a program has to have to take part in it.
package cluster
