//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package putback

import (
	"fmt"
	"io/fs"
)

// makeNode would make a pipe with a name, or the file of a Unix socket.
func makeNode(path string, mode fs.FileMode) error {
	return fmt.Errorf("%s: a socket or a pipe cannot be put back on this system", path)
}
