package exec_test

import (
	"testing"

	"github.com/gopor/gopor/internal/test/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }
