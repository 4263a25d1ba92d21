package effort

import "testing"

// Without GOPOR_SEED the seed is the usual one at every time; fresh seeds differ.
func TestSeedOf(t *testing.T) {
	for range 3 {
		if seed, err := seedOf("", 7); seed != 7 || err != nil {
			t.Fatalf("no GOPOR_SEED: %d, %v, want 7", seed, err)
		}
	}
	if seed, err := seedOf("0x10", 7); seed != 16 || err != nil {
		t.Errorf("GOPOR_SEED=0x10: %d, %v, want 16", seed, err)
	}
	if _, err := seedOf("flesh", 7); err == nil {
		t.Error("GOPOR_SEED=flesh: no error")
	}
	seeds := make(map[uint64]bool)
	for range 20 {
		seed, err := seedOf("fresh", 7)
		if err != nil {
			t.Fatal(err)
		}
		seeds[seed] = true
	}
	if len(seeds) < 15 {
		t.Errorf("20 fresh seeds are %d different ones", len(seeds))
	}
}
