// Package picture draws the unfolding of a program, which [unfold.Unfold] returns as data.
package picture

import "github.com/gopor/gopor/unfold"

// Picture is a drawing of an unfolding: see [Picture.WriteSVG] and [Picture.WriteDOT].
type Picture struct {
	*unfold.Unfolding
	Title string // above the drawing, "" for none
	// Highlight is the number of a maximal configuration, from 1, to be highlighted. 0 means
	// none.
	Highlight int
}

// DefaultEvents is the number of events up to which a drawing is readable.
const DefaultEvents = 300
