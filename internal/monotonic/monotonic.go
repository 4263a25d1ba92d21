// Package monotonic puts readings of the monotonic clock into times, where package time has them.
package monotonic

import (
	"fmt"
	"time"
	"unsafe"
)

// date is a time.Time as package time has it. If the highest bit of wall is set, ext is the reading
// of the monotonic clock. Then wall has the seconds since the year 1885, in 33 bits, over the
// nanoseconds.
type date struct {
	wall uint64
	ext  int64
	loc  *time.Location
}

const (
	hasReading = 1 << 63
	secondsAt  = 30
	since1885  = 2682288000 // seconds from then to 1970
)

// In returns t with a reading of the monotonic clock; as in package time, dates after the
// year 2157 have none.
func In(t time.Time, reading time.Duration) time.Time {
	if !laidOut {
		return t
	}
	return in(t, reading)
}

func in(t time.Time, reading time.Duration) time.Time {
	seconds := uint64(t.Unix() + since1885)
	if seconds>>33 != 0 {
		return t
	}
	*(*date)(unsafe.Pointer(&t)) = date{hasReading | seconds<<secondsAt | uint64(t.Nanosecond()), int64(reading), (*date)(unsafe.Pointer(&t)).loc}
	return t
}

// Of returns the reading of the monotonic clock that t has, if it has one.
func Of(t time.Time) (reading int64, has bool) {
	if !laidOut {
		return 0, false
	}
	d := (*date)(unsafe.Pointer(&t))
	return d.ext, d.wall&hasReading != 0
}

// laidOut reports whether package time finds in a time what was put there. In a release of Go where
// it does not, times have no reading.
var laidOut = unsafe.Sizeof(date{}) == unsafe.Sizeof(time.Time{}) && func() bool {
	start := time.Date(2026, 3, 4, 5, 6, 7, 89_101_112, time.UTC)
	now, t := time.Now(), in(start, time.Second)
	return (*date)(unsafe.Pointer(&now)).wall&hasReading != 0 && t != start && t.Round(0) == start &&
		fmt.Sprint(t) == fmt.Sprint(start)+" m=+1.000000000"
}()
