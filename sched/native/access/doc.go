// Package access announces the accesses of memory that the compiler leaves to the runtime when
// it compiles with -race. Rewritten code calls it, and so do the packages of the standard
// library that are compiled with it. It imports no package that imports those.
package access
