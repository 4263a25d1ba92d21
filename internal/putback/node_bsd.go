//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package putback

import (
	"cmp"
	"io/fs"
	"os"
	"syscall"
)

// makeNode makes a pipe with a name, or the file of a Unix socket. Both are there without a
// process that has them open.
func makeNode(path string, mode fs.FileMode) error {
	if mode&fs.ModeNamedPipe != 0 {
		return os.NewSyscallError("mkfifo", syscall.Mkfifo(path, uint32(mode.Perm())))
	}
	s, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	err = os.NewSyscallError("bind", syscall.Bind(s, &syscall.SockaddrUnix{Name: path}))
	return cmp.Or(err, syscall.Close(s))
}
