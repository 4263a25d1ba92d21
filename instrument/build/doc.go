// Package build drives the go command to build test binaries whose code is
// under control; what is done to that code is the business of package
// instrument, which a program of its own, the tool, runs for the go command.
// This package is what test binaries link, so it needs the standard library
// only.
package build
