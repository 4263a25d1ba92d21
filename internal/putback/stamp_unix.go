//go:build unix

package putback

import (
	"io/fs"
	"syscall"
)

// A stamp changes with each change of a file, but for changes at the same moment.
type stamp struct {
	file  inode
	size  int64
	mtime syscall.Timespec
	mode  uint32
}

// An inode identifies a file independently of its names.
type inode struct{ dev, ino uint64 }

func identify(info fs.FileInfo) (o owner, s stamp) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		o = owner{int(st.Uid), int(st.Gid)}
		s.file = inode{uint64(st.Dev), uint64(st.Ino)}
		s.size, s.mode = info.Size(), uint32(st.Mode)
		s.mtime = syscall.NsecToTimespec(info.ModTime().UnixNano())
	}
	return o, s
}
