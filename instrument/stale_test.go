package instrument

import (
	"strings"
	"testing"
)

func TestAllowStale(t *testing.T) {
	for before, after := range map[string]string{
		"link -o x main.a": "link -X=runtime.godebugDefault=invalidptr=0 -o x main.a",
		"link -X=runtime.godebugDefault=panicnil=1 -o x": "link -X=runtime.godebugDefault=panicnil=1,invalidptr=0 -o x",
	} {
		if got := strings.Join(allowStale(strings.Fields(before)), " "); got != after {
			t.Errorf("%s becomes %s, want %s", before, got, after)
		}
	}
}
