package format

import (
	"cmp"
	"strings"
)

// Together joins names, or other words.
func Together(names []string) string {
	n := len(names)
	if n < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
}

// Several joins names as [Together] does. Of more than three it counts those from the fourth on.
func Several(names []string) string {
	const most = 3
	if len(names) <= most {
		return Together(names)
	}
	return strings.Join(names[:most], ", ") + " and " + Counted(int64(len(names)-most), "other")
}

// MainFirst compares names of goroutines: main comes first, then g1, g2, ..., g10.
func MainFirst(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "main":
		return -1
	case b == "main":
		return 1
	}
	return cmp.Or(len(a)-len(b), cmp.Compare(a, b))
}
