//go:build !unix

package native

// Times of files are real on these systems.

func (execution) FileChanged(uintptr)                                {}
func (execution) Entry(string, bool, bool) (done func())             { return func() {} }
func (execution) FileMade(string)                                    {}
func (execution) Timed(string)                                       {}
func (execution) FileTime(uint64, uint64) (sec, nsec int64, ok bool) { return }
