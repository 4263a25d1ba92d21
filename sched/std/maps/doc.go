// Package maps takes the place of package maps in rewritten code. Under control maps are
// visited in the order of a loop.
package maps
