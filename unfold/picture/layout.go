package picture

import (
	"slices"
	"unicode/utf8"
)

// layout has the positions of the parts of a drawing, in pixels.
//
// An event is in the row that its longest chain of causes leads to, and in a column of its
// goroutine's band. Columns are assigned by chains. An event and one of its successors in its
// goroutine are below each other, with nothing else between them. Its other successors begin
// chains of their own further to the right. So lines of a goroutine meet only their own events.
// All other lines keep to the gaps between rows and the gutters between columns: see route.
type layout struct {
	*Picture
	before  []int // per event, the event before it of the same goroutine, or -1
	row     []int // of each event
	column  []int // of each event
	rows    int
	taken   [][]bool // rows of each column
	first   []int    // the first column of each thread, and the number of columns
	centre  []int    // x of each column
	width   []int    // of the events of each column
	top     []int    // y of each row
	lanes   []int    // x of the first lane of each gutter, left of the column of that index
	routes  []route
	bands   [][2]int // x of each thread's band, from and to
	right   int
	bottom  int
	caption []string
}

// Sizes, in pixels.
const (
	letterWidth  = 7 // a letter takes 7.2 pixels: see widthOf
	eventHeight  = 26
	eventPadding = 9
	rowGap       = 34 // at least
	trackHeight  = 7
	columnGap    = 18
	laneWidth    = 9
	bandPadding  = 12
	margin       = 20
	captionLine  = 22
	headerHeight = 52
	legendHeight = 44
	longestLabel = 36 // in letters
)

func newLayout(p *Picture) *layout {
	n := len(p.Events)
	l := &layout{
		Picture: p, before: make([]int, n), row: make([]int, n), column: make([]int, n),
		caption: p.caption(),
	}
	l.setRows()
	for t := range p.Threads {
		l.first = append(l.first, len(l.taken))
		l.setColumns(t)
	}
	l.first = append(l.first, len(l.taken))
	l.setRoutes()
	l.setX()
	l.setY()
	return l
}

// setRows sets the row of each event and the event of its goroutine before it. An event comes
// after its causes in Events.
func (l *layout) setRows() {
	// Per event, the latest event of each thread in its local configuration.
	latest := make([][]int, len(l.Events))
	for i, e := range l.Events {
		own := slices.Repeat([]int{-1}, len(l.Threads))
		for _, c := range e.Causes {
			l.row[i] = max(l.row[i], l.row[c]+1)
			for t, x := range latest[c] {
				if x >= 0 && (own[t] < 0 || l.row[x] > l.row[own[t]]) {
					own[t] = x
				}
			}
		}
		l.before[i] = own[e.Thread]
		own[e.Thread] = i
		latest[i] = own
		l.rows = max(l.rows, l.row[i]+1)
	}
}

// setColumns assigns columns to the events of a thread.
func (l *layout) setColumns(thread int) {
	after := make(map[int][]int)
	for i, e := range l.Events {
		if e.Thread == thread {
			after[l.before[i]] = append(after[l.before[i]], i)
		}
	}
	var chain func(e, from, least int)
	chain = func(e, from, least int) {
		events := []int{e}
		for len(after[e]) > 0 {
			e = after[e][0]
			events = append(events, e)
		}
		column := l.free(from, l.row[e], least)
		for _, e := range slices.Backward(events) {
			l.column[e] = column
			for i, branch := range after[e] {
				if i > 0 {
					chain(branch, l.row[e]+1, column+1)
				}
			}
		}
	}
	for _, root := range after[-1] {
		chain(root, l.row[root], l.first[thread])
	}
}

// free returns the lowest column, from least on, that is free in the rows from from to to, and
// takes these rows.
func (l *layout) free(from, to, least int) int {
	column := least
	for ; column < len(l.taken) && slices.Contains(l.taken[column][from:to+1], true); column++ {
	}
	for column >= len(l.taken) {
		l.taken = append(l.taken, make([]bool, l.rows))
	}
	for r := from; r <= to; r++ {
		l.taken[column][r] = true
	}
	return column
}

// setX computes the widths of columns and gutters.
func (l *layout) setX() {
	columns := len(l.taken)
	l.width, l.centre, l.lanes = make([]int, columns), make([]int, columns), make([]int, columns+1)
	for i := range l.Events {
		l.width[l.column[i]] = max(l.width[l.column[i]], l.widthOf(i))
	}
	lanes := l.setLanes()
	x := margin
	for c := range columns + 1 {
		begins := slices.Contains(l.first, c)
		if begins && c > 0 {
			x += bandPadding
			l.bands[len(l.bands)-1][1] = x
		}
		l.lanes[c] = x + columnGap/2
		if c == 0 || c == columns {
			x += lanes[c] * laneWidth
		} else {
			x += columnGap + max(0, lanes[c]-1)*laneWidth
		}
		if c == columns {
			break
		}
		if begins {
			l.bands = append(l.bands, [2]int{x, x})
			x += bandPadding
		}
		l.centre[c] = x + l.width[c]/2
		x += l.width[c]
	}
	l.right = x + margin
	for _, line := range l.caption {
		l.right = max(l.right, 2*margin+utf8.RuneCountInString(line)*(letterWidth+2))
	}
}

// setY computes the heights of rows and gaps.
func (l *layout) setY() {
	y := margin + len(l.caption)*captionLine + headerHeight
	for r, gap := range l.setTurns() {
		l.top = append(l.top, y)
		y += eventHeight
		if r < l.rows-1 {
			y += gap
		}
	}
	l.bottom = y + margin
}

// text returns the text in event i.
func (l *layout) text(i int) string {
	label := []rune(l.Events[i].Label)
	if len(label) > longestLabel {
		label = append(label[:longestLabel-1], '…')
	}
	return string(label)
}

func (l *layout) widthOf(i int) int {
	letters := len(numberOf(i)) + 1 + utf8.RuneCountInString(l.text(i))
	// An even number has a middle.
	return (letters*letterWidth+letters/5+1)/2*2 + 2*eventPadding
}
