package cells

import "unsafe"

// Range is memory from one address up to another.
type Range struct{ From, To uintptr }

// At returns the memory of that size at p.
func At(p unsafe.Pointer, size uintptr) Range {
	return Range{uintptr(p), uintptr(p) + size}
}

// Overlaps reports whether r and s share a byte.
func (r Range) Overlaps(s Range) bool { return r.From < s.To && s.From < r.To }

// Contains reports whether all of s is in r.
func (r Range) Contains(s Range) bool { return r.From <= s.From && s.To <= r.To }

// Mask returns the bytes of the word at p that are in r.
func (r Range) Mask(p uintptr) uint8 {
	all := uint8(0xff)
	if r.From > p {
		all <<= r.From - p
	}
	if r.To < p+8 {
		all &= 0xff >> (p + 8 - r.To)
	}
	return all
}
