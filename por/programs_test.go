package por

import "math/rand/v2"

// The programs of the papers, by the names of their authors.

func readersWriters(n int) *model {
	m := &model{cells: 1, threads: []code{{write(at(0), at(1))}}}
	for range n - 1 {
		m.threads = append(m.threads, code{read(at(0), 0)})
	}
	return m
}

func ring(n, times int) *model {
	m := &model{cells: n}
	for p := range n {
		var c code
		for range times {
			c = append(c, move(at((p+1)%n), at(p), 0))
		}
		m.threads = append(m.threads, c)
	}
	return m
}

func branching(n int) *model {
	m := &model{cells: n}
	for p := range n {
		var c code
		for range 2 {
			c = append(c, read(at(p), 0),
				skip(1, func(t *thread) bool { return t.reg[0] != 0 }),
				write(at((p+1)%n), at(1)))
		}
		m.threads = append(m.threads, c)
	}
	return m
}

func lastzero(n int, down bool) *model {
	m := &model{cells: n}
	checker := code{
		local(func(t *thread) { t.reg[0] = 0 }),
		read(atReg(0, 0), 1),
		skip(2, func(t *thread) bool { return t.reg[1] != 0 }),
		local(func(t *thread) { t.reg[0]++ }),
		skip(-4, func(t *thread) bool { return t.reg[0] < n-1 }),
		// here i == n-1: the paper's loop reads a[i] once more before it tests i
		read(at(n-1), 1),
	}
	if down {
		checker = code{
			local(func(t *thread) { t.reg[0] = n - 1 }),
			read(atReg(0, 0), 1),
			skip(2, func(t *thread) bool { return t.reg[1] == 0 }),
			local(func(t *thread) { t.reg[0]-- }),
			skip(-4, func(t *thread) bool { return true }),
		}
	} else {
		checker[2] = skip(3, func(t *thread) bool { return t.reg[1] != 0 })
	}
	m.threads = append(m.threads, checker)
	for j := 1; j < n; j++ {
		m.threads = append(m.threads, code{move(at(j), at(j-1), 1)})
	}
	return m
}

// sharedPointer: cells 0, 1 are p1, p2; 2, 3 private cells; 4 the third cell.
func sharedPointer(n int) *model {
	m := &model{cells: 5}
	for i := range 2 {
		var c code
		for range n {
			c = append(c, read(at(i), 0), instrDeref(i))
		}
		c = append(c, write(at(1-i), at(4-2)))
		m.threads = append(m.threads, c)
	}
	return m
}

// instrDeref increments the cell that register 0 names: 0 its private one, 2 the
// third one.
func instrDeref(i int) instr {
	return add(func(t *thread) int {
		if t.reg[0] == 0 {
			return 2 + i
		}
		return 4
	}, 1)
}

func indexer(n int) *model {
	m := &model{cells: 128}
	for tid := range n {
		m.threads = append(m.threads, code{
			local(func(t *thread) { t.reg[0] = 0 }), // m
			local(func(t *thread) { t.reg[1] = (((t.reg[0]+1)*11 + tid) * 7) % 128 }),
			cas(atReg(0, 1), at(0), func(t *thread) int { return (t.reg[0]+1)*11 + tid }, 2),
			skip(2, func(t *thread) bool { return t.reg[2] == 1 }),
			local(func(t *thread) { t.reg[1] = (t.reg[1] + 1) % 128 }),
			skip(-4, func(t *thread) bool { return true }),
			local(func(t *thread) { t.reg[0]++ }),
			skip(-7, func(t *thread) bool { return t.reg[0] < 4 }),
		})
	}
	return m
}

func indexerMod(n int) *model {
	m := &model{cells: n + 1}
	for range n {
		m.threads = append(m.threads, code{
			cas(atReg(0, 1), at(0), at(1), 2),
			skip(2, func(t *thread) bool { return t.reg[2] == 1 }),
			local(func(t *thread) { t.reg[1]++ }),
			skip(-4, func(t *thread) bool { return true }),
		})
	}
	return m
}

// ssb: cells 0..n-1 are x, cell n is c.
func ssb(n int) *model {
	m := &model{cells: n + 1}
	for i := range n {
		m.threads = append(m.threads, code{write(at(i), at(7))})
	}
	var count code
	for range n - 1 {
		count = append(count, add(at(n), 1))
	}
	m.threads = append(m.threads, count, code{read(at(n), 0), write(atReg(0, 0), at(0))})
	return m
}

func ssbLocks(k int) *model {
	m := &model{cells: 1, locks: k + 1, spawned: true}
	main := code{}
	for x := range k {
		m.threads = append(m.threads, code{lock(at(x)), unlock(at(x))})
		main = append(main, spawn(x+1))
	}
	var count code
	for x := 1; x < k; x++ {
		count = append(count, lock(at(k)), write(at(0), at(x)), unlock(at(k)))
	}
	m.threads = append(m.threads, count)
	main = append(main, spawn(k+1), lock(at(k)), read(at(0), 0), unlock(at(k)), lock(atReg(0, 0)), unlock(atReg(0, 0)))
	for x := range k + 1 {
		main = append(main, join(x+1))
	}
	m.threads = append([]code{main}, m.threads...)
	return m
}

// disp: locks 0..s-1 are srv, s is k; cells: 0 sid, then in, then out.
func disp(s, r int) *model {
	m := &model{cells: 1 + 2*s, locks: s + 1, spawned: true, threads: []code{nil}}
	var main code
	add1 := func(c code) int {
		m.threads = append(m.threads, c)
		return len(m.threads) - 1
	}
	for i := range s {
		main = append(main, spawn(add1(code{
			lock(at(i)), read(at(1+i), 0),
			skip(2, func(t *thread) bool { return t.reg[0] <= 0 }),
			read(at(1+i), 1), write(at(1+s+i), func(t *thread) int { return t.reg[1] }),
			unlock(at(i)),
		})))
	}
	for range r {
		var picker code
		for x := range s {
			picker = append(picker, lock(at(s)), write(at(0), at(x)), unlock(at(s)))
		}
		p := add1(picker)
		main = append(main, spawn(p),
			lock(at(s)), read(at(0), 0), unlock(at(s)),
			lock(atReg(0, 0)), add(atReg(1, 0), 1), unlock(atReg(0, 0)),
			join(p))
	}
	m.threads[0] = main
	return m
}

func mpat(k int) *model {
	m := &model{cells: 0, locks: k + 1}
	for i := range k {
		m.threads = append(m.threads,
			code{lock(at(i)), unlock(at(i))},
			code{lock(at(k)), lock(at(i)), unlock(at(i)), unlock(at(k))})
	}
	return m
}

func mpc(p, w int) *model {
	// cells: 0 buf, then workreq, then workdone; locks: 0 pm, then mut
	m := &model{cells: 1 + 2*w, locks: 1 + w}
	for i := range w {
		var c code
		for range 2 {
			c = append(c, lock(at(1+i)), local(func(t *thread) { t.reg[1] = 0 }), read(at(1+i), 0),
				skip(2, func(t *thread) bool { return t.reg[0] <= 0 }),
				add(at(1+i), -1), local(func(t *thread) { t.reg[1] = 1 }),
				unlock(at(1+i)),
				skip(1, func(t *thread) bool { return t.reg[1] == 0 }),
				add(at(1+w+i), 1))
		}
		m.threads = append(m.threads, c)
	}
	for j := range p {
		var c code
		for range 2 {
			c = append(c, lock(at(0)), read(at(0), 0),
				write(at(0), func(t *thread) int { return t.reg[0]*p + j }),
				local(func(t *thread) { t.reg[0] = t.reg[0]*p + j }),
				unlock(at(0)))
		}
		c = append(c, local(func(t *thread) { t.reg[0] %= w }),
			lock(atReg(1, 0)), add(atReg(1, 0), 1), unlock(atReg(1, 0)))
		m.threads = append(m.threads, c)
	}
	return m
}

// locked is locks(T, k): T threads, each k times lock, increment, unlock.
func locked(threads, k int) *model {
	m := &model{cells: 1, locks: 1}
	for range threads {
		var c code
		for range k {
			c = append(c, lock(at(0)), add(at(0), 1), unlock(at(0)))
		}
		m.threads = append(m.threads, c)
	}
	return m
}

func abba() *model {
	return &model{locks: 2, threads: []code{
		{lock(at(0)), lock(at(1)), unlock(at(1)), unlock(at(0))},
		{lock(at(1)), lock(at(0)), unlock(at(0)), unlock(at(1))},
	}}
}

func micro(threads, k int) *model {
	m := &model{cells: 1}
	for range threads {
		var c code
		for range k {
			c = append(c, read(at(0), 0), write(at(0), func(t *thread) int { return t.reg[0] + 1 }))
		}
		m.threads = append(m.threads, c)
	}
	return m
}

func writerNReaders(n int) *model {
	m := &model{cells: n + 1, threads: []code{{write(at(0), at(1))}}}
	for i := range n {
		m.threads = append(m.threads, code{read(at(i+1), 0), read(at(0), 0)})
	}
	return m
}

// adders is threads × k atomic adds on one cell.
func adders(threads, k int) *model {
	m := &model{cells: 1}
	for range threads {
		var c code
		for range k {
			c = append(c, add(at(0), 1))
		}
		m.threads = append(m.threads, c)
	}
	return m
}

// randomModel draws a small program.
func randomModel(r *rand.Rand) *model {
	m := &model{cells: 1 + r.IntN(5), locks: 1 + r.IntN(3)}
	budget := 4 + r.IntN(6)
	n := 2 + r.IntN(3)
	m.spawned, m.lazy = r.IntN(4) == 0, r.IntN(2) == 0
	choices := r.IntN(3) != 0
	for i := range n {
		var c code
		if m.spawned && i == 0 {
			for j := 1; j < n; j++ {
				c = append(c, spawn(j))
			}
		}
		for range 1 + r.IntN(max(1, 2*budget/n)) {
			c = append(c, randomPiece(r, m, choices)...)
		}
		if m.spawned && i == 0 && r.IntN(2) == 0 {
			c = append(c, join(1+r.IntN(n-1)), read(at(0), 0))
		}
		m.threads = append(m.threads, c)
	}
	return m
}

// randomPiece draws one or a few instructions.
func randomPiece(r *rand.Rand, m *model, choices bool) code {
	x, y := at(r.IntN(m.cells)), at(r.IntN(m.cells))
	l := at(r.IntN(m.locks))
	val := r.IntN(2)
	zero := func(t *thread) bool { return t.reg[0] == val }
	switch k := r.IntN(14); {
	case k == 0:
		return code{read(x, 0)}
	case k == 1:
		return code{write(x, at(r.IntN(2)))}
	case k == 2:
		return code{move(x, y, r.IntN(2))}
	case k <= 5:
		return code{cas(x, at(r.IntN(2)), at(r.IntN(2)), 0)}
	case k == 6:
		return code{read(x, 0), skip(1, zero), write(y, at(r.IntN(2)))}
	case k == 7:
		return code{lock(l), add(x, 1), unlock(l)}
	case k == 8:
		return code{lock(l), unlock(l)}
	case k == 9:
		return code{trylock(l, 0), skip(2, func(t *thread) bool { return t.reg[0] == 0 }), write(x, at(1)), unlock(l)}
	case k == 10 && choices:
		return code{choose(2, 0), skip(1, zero), write(x, at(1))}
	case k == 11 && choices:
		return code{choose(2, 0), write(func(t *thread) int { return t.reg[0] % m.cells }, at(1))}
	case k >= 12 && choices:
		cells := []int{0}
		for c := 1; c < min(3, m.cells); c++ {
			cells = append(cells, c)
		}
		return code{take(cells, 1), skip(1, func(t *thread) bool { return t.reg[1] <= 0 }), write(x, at(1))}
	}
	return code{cas(x, at(r.IntN(2)), at(2), 0), skip(1, zero), read(y, 1)}
}
