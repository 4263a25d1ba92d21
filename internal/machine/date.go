package machine

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

// WithReading returns t with a reading of the monotonic clock; as in package time, dates after the
// year 2157 have none.
func WithReading(t time.Time, reading time.Duration) time.Time {
	if !laidOut {
		return t
	}
	return withReading(t, reading)
}

func withReading(t time.Time, reading time.Duration) time.Time {
	seconds := uint64(t.Unix() + since1885)
	if seconds>>33 != 0 {
		return t
	}
	*(*date)(unsafe.Pointer(&t)) = date{hasReading | seconds<<secondsAt | uint64(t.Nanosecond()), int64(reading), (*date)(unsafe.Pointer(&t)).loc}
	return t
}

// readingOf returns the reading of the monotonic clock that t has, if it has one.
func readingOf(t time.Time) (reading int64, has bool) {
	if !laidOut {
		return 0, false
	}
	d := (*date)(unsafe.Pointer(&t))
	return d.ext, d.wall&hasReading != 0
}

// laidOut reports whether package time finds in a time what was put there. In a release of Go where
// it does not, times have no reading.
var laidOut = unsafe.Sizeof(date{}) == unsafe.Sizeof(time.Time{}) && func() bool {
	now, t := time.Now(), withReading(StartTime, time.Second)
	return (*date)(unsafe.Pointer(&now)).wall&hasReading != 0 && t != StartTime && t.Round(0) == StartTime &&
		fmt.Sprint(t) == fmt.Sprint(StartTime)+" m=+1.000000000"
}()
