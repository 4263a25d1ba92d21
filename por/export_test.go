package por

// LeaveAlone has processes leave to their workers what can be left to them.
func LeaveAlone() { aloneTime, helps = 0, false }

// OneEach has every job be one execution.
func OneEach() { shortSlice, longSlice = 1, 1 }
