package machine

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"
)

// date is a time.Time as package time has it. The highest bit of wall says that ext is the reading of the
// monotonic clock; then the seconds since the year 1885 are in wall, in 33 bits, over the nanoseconds.
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

// WithReading returns t with a reading of the monotonic clock; as in package time, dates after the year 2157 have none.
func WithReading(t time.Time, reading time.Duration) time.Time {
	seconds := uint64(t.Unix() + since1885)
	if seconds>>33 != 0 {
		return t
	}
	*(*date)(unsafe.Pointer(&t)) = date{hasReading | seconds<<secondsAt | uint64(t.Nanosecond()), int64(reading), (*date)(unsafe.Pointer(&t)).loc}
	return t
}

// readingOf returns the reading of the monotonic clock that t has, if it has one.
func readingOf(t time.Time) (reading int64, has bool) {
	d := (*date)(unsafe.Pointer(&t))
	if d.wall&hasReading == 0 {
		return 0, false
	}
	return d.ext, true
}

// A time is laid out as expected if package time finds in it what was put there.
const _ = -(unsafe.Sizeof(date{}) ^ unsafe.Sizeof(time.Time{}))

func init() {
	t := WithReading(StartTime, time.Second)
	reading, has := readingOf(time.Now())
	if _, none := readingOf(StartTime); none || !has || reading < 0 || t == StartTime || t.Round(0) != StartTime ||
		fmt.Sprint(t) != fmt.Sprint(StartTime)+" m=+1.000000000" {
		panic(fmt.Sprintf("internal/machine: times of package time of %s are not laid out as expected", runtime.Version()))
	}
}
