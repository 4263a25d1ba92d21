package cells

// Cell is an access of a word: the bytes, the kind, the number of the epoch. No access is 0.
type Cell uint32

// How a cell is laid out.
const (
	kindShift  = 8
	EpochShift = 11
	EpochLimit = 1 << 20 // numbers of epochs that a cell has room for
	Spilled    = Cell(1 << 31)
)

// Cells has the accesses of a word that a later one may race with. If there are too many, the
// first cell is the place in the list of Spilled words, with a mark that no access has. The others
// are the latest accesses then.
type Cells [4]Cell

// New returns the access of the bytes in mask.
func New(epoch int32, kind Kind, mask uint8) Cell {
	return Cell(epoch)<<EpochShift | Cell(kind)<<kindShift | Cell(mask)
}

// Kind returns the kind of the access.
func (c Cell) Kind() Kind {
	return Kind(c >> kindShift & (1<<(EpochShift-kindShift) - 1))
}

// Covers reports whether x is an access of the same epoch that covers one.
func (x Cell) Covers(now Cell) bool {
	return (x^now)>>EpochShift == 0 && uint8(now)&^uint8(x) == 0 && x.Kind().Covers(now.Kind())
}

// Covers reports whether one of the cells covers an access of the same epoch.
func (c *Cells) Covers(now Cell) bool {
	return c[0].Covers(now) || c[1].Covers(now) || c[2].Covers(now) || c[3].Covers(now)
}

// Extend adds an access to a word that has none of other epochs, so that none races with it. It
// reports false if there are others, or if there is no room.
func (c *Cells) Extend(now Cell) bool {
	all, n := *c, 0
	for _, x := range all {
		if x != 0 && (x^now)>>EpochShift != 0 {
			return false
		}
		if x.Kind() == now.Kind() {
			now |= x & 0xff
		} else if now.Kind().Covers(x.Kind()) {
			x &^= now & 0xff
		}
		if x.Kind() != now.Kind() && uint8(x) != 0 {
			all[n] = x
			n++
		}
	}
	if n == len(all) {
		return false
	}
	all[n] = now
	clear(all[n+1:])
	*c = all
	return true
}
