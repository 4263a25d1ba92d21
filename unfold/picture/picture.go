// Package picture draws the unfolding of a program, which [unfold.Unfold] returns as
// data, for people to look at.
package picture

import "github.com/gopor/gopor/unfold"

// Picture is a drawing of an unfolding: see [Picture.WriteSVG] and [Picture.WriteDOT].
type Picture struct {
	*unfold.Unfolding
	Title string // above the drawing, "" for none
	// Highlight is the number of a maximal configuration, from 1, that is to be shown
	// among the others. 0 is none.
	Highlight int
}

// DefaultEvents is how many events a drawing has room for, if people are to see
// something.
const DefaultEvents = 300
