// Package network has sockets in memory, as primitives like those of package sched: streams with
// listeners, and datagrams. Instrumented programs use them by package net, with an address of the
// loopback interface or a path. Code that is written for controlled execution can use them itself.
//
// A name is a network and a port, such as "tcp 8080", or the path of a Unix socket. A place is what
// a socket has of the name: an address with its family before it, as in "4127.0.0.1" and "6::1".
// "4" and "6" stand for all addresses of a family, and "*" for all addresses. A socket that is
// dialled is looked for by its name and place. Sockets belong to the execution that made them.
//
// Every method is one scheduling point. Two connections have nothing to do with each other, nor
// have the two directions of one. What one Write has written waits in its direction of the
// connection until it is read: a Write and a Read are independent, as a send and a receive of a
// channel with a buffer. A Read returns what one Write has written, or the beginning or the rest
// of it. A network may join what several have written, and split it, which is not explored here.
//
// Errors are those of the operating system, as [Status]; a stream that has ended gives io.EOF. A
// TCP connection and a Unix socket differ where they do so natively: when the peer has closed the
// connection, a Write to a Unix socket fails. By TCP the first one succeeds.
package network
