// Package access is what code calls to announce those accesses of memory that the compiler
// leaves to the runtime when it compiles with -race: rewritten code, and the packages of
// the standard library that are compiled with it. It imports nothing that these could be
// imported by.
package access
