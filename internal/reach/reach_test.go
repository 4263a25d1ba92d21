package reach

import (
	"testing"
	"time"
)

func TestTake(t *testing.T) {
	for range 5 {
		begin := time.Now()
		Examine(func(m *Memory) {
			t.Log(time.Since(begin), len(m.objects), len(m.pointers), len(m.roots), len(m.stacks))
			begin = time.Now()
			m.Leaked(Question{})
			t.Log(time.Since(begin))
		})
	}
}
