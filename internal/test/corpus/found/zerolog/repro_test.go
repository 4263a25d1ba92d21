package zerolog

import (
	"bytes"
	"testing"
	"time"

	"github.com/rs/zerolog/diode"
)

// TestClose writes a message and closes the writer.
func TestClose(t *testing.T) {
	var out bytes.Buffer
	w := diode.NewWriter(&out, 1000, 0, func(int) {})
	w.Write([]byte("message"))
	w.Close()
	if out.String() != "message" {
		t.Errorf("%q was written", out.String())
	}
}

// TestCloseForced does that when the writer's goroutine has looked for a message. With sleep.diff it fails.
func TestCloseForced(t *testing.T) {
	var out bytes.Buffer
	w := diode.NewWriter(&out, 1000, 0, func(int) {})
	time.Sleep(50 * time.Millisecond)
	w.Write([]byte("message"))
	w.Close()
	if out.String() != "message" {
		t.Errorf("%q was written", out.String())
	}
}
