package room

import "testing"

// TestReserve has lists grow by one entry at a time. Long ones are seldom copied, and of the room
// of those of more than a megabyte at most half is in reserve.
func TestReserve(t *testing.T) {
	type entry [64]byte
	var list []entry
	copies, room := 0, 0
	for n := range 1 << 18 {
		if list = append(ForOne(list), entry{byte(n)}); cap(list) != room {
			if room = cap(list); n >= long {
				copies++
			}
		}
		if most := 2*n + 16; n*len(entry{}) > longest && room > most {
			t.Fatalf("a list of %d entries has room for %d", n, room)
		}
	}
	if copies > 4 {
		t.Errorf("the entries from number %d on were copied %d times", long, copies)
	}
	for n := range list {
		if list[n][0] != byte(n) {
			t.Fatalf("entry %d has changed", n)
		}
	}
}
