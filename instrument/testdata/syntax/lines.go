package behaviour

// This file is about the lines in and after assignments that take several.

type linesT struct {
	f, g func() int
	n, m int
	fs   []func() int
	byID map[string]func() int
	next *linesT
}

func RunLinesOne(p Say) {
	t := &linesT{byID: map[string]func() int{}, next: &linesT{}}
	keep(func() { t = nil })
	t.f = func() int {
		here(p, 1)
		t.n++
		t.m += t.n
		return here(p, t.n)
	}
	here(p, t.f())
	t.byID["a"] = func() int {
		here(p, 1)
		t.n++
		t.m += t.n
		return here(p, t.n)
	}
	here(p, t.byID["a"]())
	t.next.f = func() int {
		here(p, 1)
		t.n++
		t.m += t.n
		return here(p, t.n)
	}
	here(p, t.next.f())
	t.fs = append(t.fs, func() int {
		here(p, 1)
		t.n++
		t.m += t.n
		return here(p, t.n)
	}, func() int {
		t.m += t.n
		return here(p, t.n)
	})
	here(p, t.fs[0]()+t.fs[1]())
	t.fs[len(
		t.fs)-1] = func() int {
		here(p, 1)
		t.n++
		t.m += t.n
		return here(p, t.n)
	}
	here(p, t.fs[1]())
	t.n += func() int {
		here(p, 1)
		t.n++
		t.m += t.n
		return here(p, t.n)
	}()
	here(p, 2)
	u := t
	u.
		n += 2
	here(p, t.n)
	t.next.
		n++
	here(p, t.next.n)
	t.next.n = 1 + func() int {
		here(p, 1)
		t.n++
		t.m += t.n
		return here(p, t.n)
	}() + t.n +
		here(p, 2)
	here(p, 2)
	t.next.f = func() func() int {
		here(p, 1)
		t.n++
		t.m += t.n
		return func() int {
			t.n++
			t.m += t.n
			return here(p, t.n)
		}
	}()
	here(p, t.next.f())
}

func RunLinesMany(p Say) {
	t := &linesT{byID: map[string]func() int{}, next: &linesT{}}
	keep(func() { t = nil })
	t.f, t.g = func() int {
		here(p, 1)
		t.n++
		t.m += t.n
		return here(p, t.n)
	}, func() int {
		here(p, 2)
		t.n++
		t.m += t.n
		return here(p, t.n)
	}
	here(p, t.f()+t.g())
	t.f, t.byID["a"] =
		func() int {
			here(p, 1)
			t.n++
			t.m += t.n
			return here(p, t.n)
		},
		func() int {
			here(p, 2)
			t.n++
			t.m += t.n
			return here(p, t.n)
		}
	here(p, t.f()+t.byID["a"]())
	t.next.f, t.byID[func() string {
		t.n++
		t.m += t.n
		here(p, 1)
		return "b"
	}()], _ =
		func() int {
			here(p, 1)
			t.n++
			t.m += t.n
			return here(p, t.n)
		},
		func() int {
			here(p, 2)
			t.n++
			t.m += t.n
			return here(p, t.n)
		}, t.next.next == nil &&
			here(p, 3) == 3
	here(p, t.next.f()+t.byID["b"]())
	t.n, t.m = func() (int, int) {
		here(p, 1)
		t.n++
		t.m += t.n
		return here(p, t.n), 2
	}()
	here(p, t.n)
}

func RunLinesPlaces(p Say) {
	t := &linesT{byID: map[string]func() int{}, next: &linesT{}}
	keep(func() { t = nil })
	if t.f = func() int {
		here(p, 1)
		t.n++
		t.m += t.n
		return here(p, t.n)
	}; t.n <
		here(p, 1) {
		here(p, t.f())
	}
	switch t.f, t.g = func() int {
		here(p, 1)
		t.n++
		t.m += t.n
		return here(p, t.n)
	}, func() int {
		t.n++
		t.m += t.n
		return here(p, t.n)
	}; {
	case t.n <
		here(p, 1000):
		here(p, t.f()+t.g())
	}
	for t.n, t.m = 0, func() int {
		t.n++
		t.m += t.n
		return here(p, t.n)
	}(); t.n < 2; t.n, t.m = t.n+1, func() int {
		t.n++
		t.m += t.n
		return here(p, t.n)
	}() {
		here(p, t.n)
	}
	named := func() (f, g func() int) {
		defer func() { f = g }()
		keep(func() { f, g = nil, nil })
		return func() int {
				t.n++
				t.m += t.n
				return here(p, t.n)
			}, func() int {
				t.n++
				t.m += t.n
				return here(p, t.n)
			}
	}
	f, g := named()
	here(p, f()+g())
	var h, k func() int = func() int {
		t.n++
		t.m += t.n
		return here(p, t.n)
	}, func() int {
		t.n++
		t.m += t.n
		return here(p, t.n)
	}
	keep(func() { h, k = nil, nil })
	here(p, h()+k())
	h, err := func() int {
		t.n++
		t.m += t.n
		return here(p, t.n)
	}, func() int {
		t.n++
		t.m += t.n
		return here(p, t.n)
	}
	here(p, h()+err())
	defer func(n int, f func() int) {
		here(p, n+f())
	}(t.n, func() int {
		t.n++
		t.m += t.n
		return here(p, t.n)
	})
	done := make(chan bool)
	go func(n int, f func() int) {
		here(p, n+f())
		done <- true
	}(t.n, func() int {
		t.n++
		t.m += t.n
		return here(p, t.n)
	})
	<-done
	here(p, 9)
}
