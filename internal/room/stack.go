package room

// Stack is a stack of frames that are reused. They lie in blocks.
type Stack[F any] []*[frameBlock]F

// frameBlock is the number of frames of a block.
const frameBlock = 64

// Get returns frame k, which At has returned before, or a later one.
func (s Stack[F]) Get(k int) *F { return &s[uint(k)/frameBlock][uint(k)%frameBlock] }

// At returns frame k, and makes it if needed.
func (s *Stack[F]) At(k int) *F {
	if b := uint(k) / frameBlock; b < uint(len(*s)) {
		return s.Get(k)
	}
	return s.grow(k)
}

// grow makes blocks up to frame k, many at once where there are many already.
//
//go:noinline
func (s *Stack[F]) grow(k int) *F {
	const many = 64
	for k/frameBlock >= len(*s) {
		n := 1
		if len(*s) >= many {
			n = 4 * many
		}
		blocks := Make[[frameBlock]F](n, n)
		for i := range blocks {
			*s = append(ForOne(*s), &blocks[i])
		}
	}
	return s.Get(k)
}
