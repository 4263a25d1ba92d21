//go:build go1.21

package behaviour

// The loops of this file have one variable each.

func RunOldChan(p Say) {
	var fs []func() int
	for v := range closed(1, 2, 3) {
		fs = append(fs, func() int { return v })
	}
	for _, f := range fs {
		p(f())
	}
}

func RunOldMap(p Say) {
	var fs []func() int
	last := 0
	for k := range map[int]int{1: 1, 2: 2, 3: 3} {
		last = k
		fs = append(fs, func() int { return k })
	}
	for _, f := range fs {
		p(f() == last)
	}
}
