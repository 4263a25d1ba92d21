// Package cluster explores one test on many machines, which meet at a NATS server with JetStream.
// It is a module of its own, so a program that does not import it does not depend on NATS. The
// command por-cluster is made of it.
//
// [Serve] runs the test program. In it por.Check searches as ever, but what is left to explore goes
// to a work queue, and the results come from a stream. [Work] runs the same program as a worker.
// Neither knows what is in the messages: what was explored, and what that has left, is for the two
// programs.
//
// # Streams
//
// A search has two streams. The stream of jobs keeps a job until its result is known. A worker that
// ends, or loses its connection, leaves its job to another worker after [Options.Patience]. The
// stream of results has one result for each job, the first one: what is explored twice counts once.
// All that a coordinator knows follows from the results, in whatever order they come. So a
// coordinator that is started anew asks for the same jobs as the one before, from the first on, and
// is given the results that there are.
//
// The streams know the [Fingerprint] of the search, which a program has to have to take part in it.
package cluster
