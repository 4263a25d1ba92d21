package machine

// By these bits Machine.met remembers that a goroutine got nothing from a Pool, Pools that
// goroutines do not share, the use of the clock, and of the date, and the order of a Map.
const (
	MetNone  Model = 1 << 11
	metPools Model = 1 << 12
	metClock Model = 1 << 13
	metDate  Model = 1 << 14
	MetOrder Model = 1 << 15
)

// Usual notes, once in an execution, that it met the usual model of a primitive in a
// way that could matter.
func (g *Goroutine) Usual(m Model, what string) { g.Meet(m, AssumeModel, what) }

// usesClock notes that g depends on how time passes.
func (g *Goroutine) usesClock(what string) {
	if g.M.Time != TimeAnyOrder {
		g.Meet(metClock, AssumeClock, what)
	}
}

// Met reports whether the execution has met that.
func (m *Machine) Met(what Model) bool { return m.met&what != 0 }

func (g *Goroutine) Meet(m Model, k AssumptionKind, what string) {
	if met := &g.M.met; *met&m == 0 {
		*met |= m
		g.M.Exec.Assume(g, k, what)
	}
}
