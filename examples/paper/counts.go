package paper

import "math"

// This file says how many traces the programs have.

// both multiplies two counts. A product that is too large is not known.
func both(a int64, known bool) func(int64, bool) (int64, bool) {
	return func(b int64, alsoKnown bool) (int64, bool) {
		if !known || !alsoKnown || a > math.MaxInt64/max(b, 1) {
			return 0, false
		}
		return a * b, true
	}
}

func times(k int) func(int64, bool) (int64, bool) { return both(int64(k), true) }

func minus(k int64) func(int64, bool) (int64, bool) {
	return func(a int64, known bool) (int64, bool) { return a - k, known }
}

func power(base, exp int) (v int64, known bool) {
	v, known = 1, true
	for range exp {
		v, known = both(v, known)(int64(base), true)
	}
	return v, known
}

func factorial(n int) (v int64, known bool) {
	v, known = 1, true
	for i := 2; i <= n; i++ {
		v, known = both(v, known)(int64(i), true)
	}
	return v, known
}

// shuffles is the number of orders of n sequences of length m each.
func shuffles(n, m int) (v int64, known bool) {
	v, known = 1, true
	for i := 1; i <= n; i++ {
		v, known = both(v, known)(binomial(i*m, m))
	}
	return v, known
}

func binomial(n, k int) (v int64, known bool) {
	v, known = 1, true
	for i := 1; i <= k && known; i++ {
		if v, known = both(v, known)(int64(n-k+i), true); known {
			v /= int64(i)
		}
	}
	return v, known
}

func always(count int64) func(n, m int) (int64, bool) {
	return func(int, int) (int64, bool) { return count, true }
}

// listed is for counts that have no formula, n = from, from+1, ...
func listed(from int, counts ...int64) func(n, m int) (int64, bool) {
	return func(n, _ int) (int64, bool) {
		if i := n - from; i >= 0 && i < len(counts) {
			return counts[i], true
		}
		return 0, false
	}
}

func tabled(counts map[[2]int]int64, n, m int) (int64, bool) {
	v, known := counts[[2]int{n, m}]
	return v, known
}

// indexerTraces holds as long as no slot is wanted by more than two goroutines.
func indexerTraces(n, _ int) (int64, bool) {
	if n > 16 {
		return 0, false
	}
	return power(8, max(0, n-11))
}

func dispTraces(s, r int) (int64, bool) {
	if s > 1 && r == 2 {
		return int64(4*s*s + 7*s + 2), true
	}
	return tabled(map[[2]int]int64{{5, 3}: 1482, {5, 4}: 15282, {5, 5}: 151032}, s, r)
}

func mpcTraces(p, w int) (int64, bool) {
	return tabled(map[[2]int]int64{
		{2, 3}: 66, {2, 4}: 54, {2, 5}: 60,
		{3, 3}: 2430, {3, 4}: 3486, {3, 5}: 2958, {3, 7}: 2763,
		{4, 5}: 314064,
	}, p, w)
}

func polTraces(n, k int) (int64, bool) {
	m := int64(n)
	switch k {
	case 1:
		return 2 * m, true
	case 2:
		return 4*m*m - m, true
	case 3:
		return 8*m*m*m - 6*m*m - 2*m + 4, true
	}
	return 0, false
}

func microTraces(t, k int) (int64, bool) {
	if t == 1 {
		return 1, true
	}
	return tabled(map[[2]int]int64{{2, 1}: 4, {2, 2}: 34, {2, 5}: 34904, {3, 1}: 36, {3, 2}: 7134}, t, k)
}
