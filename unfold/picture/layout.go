package picture

import (
	"slices"
	"unicode/utf8"
)

// layout says where the parts of a drawing are, in pixels.
//
// An event is in the row that its longest chain of causes leads to, and in a column
// of its goroutine's band. Columns are shared out by chains: an event and one of
// those that follow it in its goroutine are below each other, and nothing else is
// between them; the others that follow begin chains of their own further to the
// right. So lines of a goroutine meet no events but their own. All other lines keep to
// the gaps between rows and the gutters between columns: see route.
type layout struct {
	*Picture
	before  []int // the event of the same goroutine before each event, or -1
	row     []int // of each event
	column  []int // of each event
	rows    int
	taken   [][]bool // rows of each column
	first   []int    // column of each thread, and the number of columns
	centre  []int    // x of each column
	width   []int    // of the events of each column
	top     []int    // y of each row
	lanes   []int    // x of the first lane of each gutter, which is left of that column
	routes  []route
	bands   [][2]int // x of each thread's band, from and to
	right   int
	bottom  int
	caption []string
}

// Sizes, in pixels.
const (
	letterWidth  = 7 // and a fifth
	eventHeight  = 26
	eventPadding = 9
	rowGap       = 34 // at the least
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

// setRows finds for each event its row and what its goroutine did before. An event
// comes after its causes in Events.
func (l *layout) setRows() {
	latest := make([][]int, len(l.Events)) // of each thread, in the local configuration
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

// setColumns gives the events of a thread their columns.
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

// free takes the rows from and up to another one of a column where they are free,
// the least that there is from least on.
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

// setX finds out how much room columns and gutters take.
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

// setY finds out how much room rows and gaps take.
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

// text returns what is written into event i.
func (l *layout) text(i int) string {
	label := []rune(l.Events[i].Label)
	if len(label) > longestLabel {
		label = append(label[:longestLabel-1], '…')
	}
	return string(label)
}

func (l *layout) widthOf(i int) int {
	letters := len(numberOf(i)) + 1 + utf8.RuneCountInString(l.text(i))
	return (letters*letterWidth+letters/5+1)/2*2 + 2*eventPadding // an even number, so that it has a middle
}
