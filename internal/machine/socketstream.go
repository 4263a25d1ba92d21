package machine

// This file has Reads that join and split what was written, as they may where data is a stream. How
// much there is to be joined depends on all Writes before the Read. So such a Read depends on all
// uses of the way, other than one that takes what one Write has written.

// SeveralMessages is the assumption that a Read gives what one Write has written.
const SeveralMessages = "a Read of a connection, which may give what several Writes have written, or a part of it"

// Streams marks an OpNetRead whose alternatives are the portions that it may get.
const Streams = portion(-1)

// portion is how much a Read gets of what there is for it.
type portion int8

const (
	portionPiece portion = iota // what one Write has written
	portionAll                  // what all Writes have written
	portionByte                 // one byte
)

// Portion is the reply to an OpNetRead that has joined or split what was written.
type Portion struct {
	Data   []byte
	Joined bool
}

// portions returns the portions that g may get. They differ in what it gets at once. A Read that
// waits gets something as soon as there is something, so there is no more to be joined. If more was
// written before the Read goes on, that is as if it had come later.
func (w *WayState) portions(g *Goroutine) []portion {
	n, list := int(g.Req.Arg), []portion{portionPiece}
	joins, splits := w.stalled(), w.ended() == endOpen && w.shutReader < 0
	if w.arrived() > 0 {
		first := min(n, len(w.pieces[0].data))
		joins, splits = min(n, w.readable()) > first, first > 1
	}
	some := w.closed[readerEnd] < 0 && !w.Reader.expired && n > 1
	if joins && some {
		list = append(list, portionAll)
	}
	if splits && some {
		list = append(list, portionByte)
	}
	return list
}

// share returns how many bytes g gets of those that there are, at most n.
func (w *WayState) share(g *Goroutine, n int) int {
	if g.Req.y == portionAll {
		return min(n, w.readable())
	} else if g.Req.y == portionByte {
		return 1
	}
	return min(n, len(w.pieces[0].data))
}
