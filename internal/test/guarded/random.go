package guarded

import "math/rand/v2"

// Random draws a small system.
func Random(r *rand.Rand) *System {
	s := &System{Vars: 2 + r.IntN(3)}
	whole := r.IntN(3) // none, some or most commands are said to touch all they ever do
	left := 4 + r.IntN(3)
	for i := 0; i < 2+r.IntN(3) && left > 0; i++ {
		p := Process{Parent: -1}
		if i > 0 && r.IntN(6) == 0 {
			p.Parent = r.IntN(i)
		}
		for range min(left, 1+r.IntN(3)) {
			p.Commands = append(p.Commands, s.command(r, whole))
			left--
		}
		s.Processes = append(s.Processes, p)
	}
	return s
}

func (s *System) command(r *rand.Rand, whole int) Command {
	c := Command{Whole: r.IntN(4) < whole}
	for n := r.IntN(5); n > 2; n-- { // mostly none or one
		c.If = append(c.If, Guard{r.IntN(s.Vars), r.IntN(2)})
	}
	if len(c.If) == 0 && r.IntN(2) == 0 {
		c.If = append(c.If, Guard{r.IntN(s.Vars), 0})
	}
	c.Then = s.actions(r, 1+r.IntN(2))
	if len(c.If) > 0 {
		c.Else = s.actions(r, r.IntN(2))
		if r.IntN(6) == 0 {
			c.Skip = 1
		}
	}
	if r.IntN(12) == 0 {
		c.Alts = 2
	}
	return c
}

func (s *System) actions(r *rand.Rand, n int) []Action {
	var as []Action
	for range n {
		a := Action{Var: r.IntN(s.Vars+1) - 1, From: Number, Value: r.IntN(2)}
		if a.Var == Register || r.IntN(4) == 0 {
			a.From = r.IntN(s.Vars)
		}
		as = append(as, a)
	}
	return as
}
