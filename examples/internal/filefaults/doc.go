// Package filefaults has tests only: native programs hold the faults of files to a model of files.
package filefaults
