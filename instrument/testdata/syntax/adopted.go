package behaviour

var (
	outsideFull   = make(chan int, 3)
	outsideClosed = make(chan int, 3)
	outsideDone   = make(chan struct{})
	outsideEmpty  = make(chan int, 1)
)

func init() {
	outsideFull <- 1
	outsideFull <- 2
	outsideClosed <- 5
	outsideClosed <- 6
	close(outsideClosed)
	close(outsideDone)
}

func RunAdoptedFull(p Say) {
	p(len(outsideFull), cap(outsideFull))
	outsideFull <- 3
	a, b, c := <-outsideFull, <-outsideFull, <-outsideFull
	p(a, b, c, len(outsideFull))
	outsideFull <- a
	outsideFull <- b
}

func RunAdoptedDone(p Say) {
	_, ok := <-outsideDone
	p(ok)
	select {
	case <-outsideDone:
		p("done")
	default:
		p("not done")
	}
}

func RunAdoptedEmpty(p Say) {
	select {
	case outsideEmpty <- 1:
		p(<-outsideEmpty)
	default:
		p("full")
	}
}

// OnceClosed empties its channel.
func OnceClosed(p Say) {
	for v := range outsideClosed {
		p(v)
	}
	_, ok := <-outsideClosed
	p(ok)
}
