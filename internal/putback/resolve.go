package putback

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// mostLinks is how many symbolic links a name may lead through.
const mostLinks = 255

// resolve returns the name of a file without symbolic links, as the system follows them. If follow
// is set, the result is what a link at the end leads to. Parts that do not exist stay as they are.
func resolve(name string, follow bool) (string, error) {
	volume := filepath.VolumeName(name)
	at := volume + string(filepath.Separator)
	rest := elements(name[len(volume):])
	for links := 0; len(rest) > 0; {
		next := rest[0]
		rest = rest[1:]
		if next == ".." {
			at = filepath.Dir(at)
			continue
		}
		path := filepath.Join(at, next)
		if len(rest) == 0 && !follow {
			return path, nil
		}
		target, err := os.Readlink(path)
		if err != nil { // it is no link, or does not exist
			at = path
			continue
		}
		if links++; links > mostLinks {
			return path, &fs.PathError{Op: "resolve", Path: name, Err: errors.New("too many symbolic links")}
		}
		if v := filepath.VolumeName(target); filepath.IsAbs(target) || v != "" {
			at, target = v+string(filepath.Separator), target[len(v):]
		}
		rest = append(elements(target), rest...)
	}
	return at, nil
}

// elements returns the elements of a path, without those that stand for the folder itself.
func elements(path string) (list []string) {
	for _, e := range strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }) {
		if e != "." {
			list = append(list, e)
		}
	}
	return list
}

// Whole returns the absolute name of a file. It does not shorten the name, since what ".." leads to
// depends on symbolic links.
func Whole(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	dir, err := syscall.Getwd()
	if err != nil {
		return name
	}
	return dir + string(filepath.Separator) + name
}
