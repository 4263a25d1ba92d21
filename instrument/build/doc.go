// Package build drives the go command to build test binaries with code under control. Package
// instrument rewrites that code. A program of its own, the tool, runs it for the go command.
// Test binaries link package build, so it needs the standard library only.
package build
