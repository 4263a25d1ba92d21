package conformance

import (
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/gopor/gopor/internal/machine"
)

// TestMain looks, after all tests, whether any execution has written to what all goroutines share.
func TestMain(m *testing.M) {
	status := m.Run()
	for _, part := range machine.Shares() {
		if !reflect.ValueOf(part).Elem().IsZero() {
			fmt.Printf("an execution has written to what all goroutines share: %T is %+v\n", part, part)
			status = max(status, 1)
		}
	}
	os.Exit(status)
}
