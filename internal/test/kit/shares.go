package kit

import (
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/gopor/gopor/internal/machine"
)

// Main is the TestMain of packages whose tests perform executions. It looks, after all tests,
// whether any execution has written to what all goroutines share.
func Main(m *testing.M) {
	status := m.Run()
	for _, part := range machine.Shares() {
		if !reflect.ValueOf(part).Elem().IsZero() {
			fmt.Printf("an execution has written to what all goroutines share: %T is %+v\n", part, part)
			status = max(status, 1)
		}
	}
	os.Exit(status)
}
