package irs

import (
	"bytes"
	"slices"
	"testing"

	"github.com/gopor/gopor/unfold/picture"
)

func TestPicture(t *testing.T) {
	p, _ := admissible(t, threeEvents, explored)
	u := p.Unfolding()
	if len(u.Events) != 3 || len(u.Threads) != 2 || len(u.Maximal[0].Events) != 2 {
		t.Fatalf("got %+v", u)
	}
	// e1, e2, f: e2 waits for e1, and f for e2, though it is beyond the prefix.
	for i, want := range [][]int{nil, {0}, {0, 1}} {
		if got := u.Events[i].Causes; !slices.Equal(got, want) {
			t.Errorf("the causes of event %d are %v, not %v", i, got, want)
		}
	}
	var b bytes.Buffer
	if err := (&picture.Picture{Unfolding: u, Title: p.String(), Highlight: 1}).WriteSVG(&b); err != nil || b.Len() == 0 {
		t.Error(err)
	}
}
