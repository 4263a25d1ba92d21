package putback

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A kind of file.
type kind byte

const (
	absent  kind = 'a'
	regular kind = 'f'
	folder  kind = 'd'
	link    kind = 'l'
	node    kind = 'n' // a socket or a pipe
	other   kind = 'o' // a device, which is not put back
)

// A record says what a file was before an execution has changed it.
type record struct {
	kind   kind
	path   string // absolute, without symbolic links
	mode   fs.FileMode
	time   time.Time // of the latest change
	owner  owner
	size   int64
	copy   string // the name of the copy of a regular file, or "" if its content is not kept
	target string // of a symbolic link
	whole  bool   // all that was in a folder has records
	stamp  stamp
	stays  bool // another process has changed it, so it is not put back
}

// owner is the owner of a file, where systems have one.
type owner struct{ user, group int }

// capture returns what the file is now, without a copy.
func capture(path string) (*record, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &record{kind: absent, path: path}, nil
	}
	if err != nil {
		return nil, err
	}
	r := &record{kind: other, path: path, mode: info.Mode(), time: info.ModTime(), size: info.Size()}
	r.owner, r.stamp = identify(info)
	switch {
	case info.Mode().IsRegular():
		r.kind = regular
	case info.IsDir():
		r.kind = folder
	case info.Mode()&fs.ModeSymlink != 0:
		r.kind = link
		r.target, err = os.Readlink(path)
	case info.Mode()&(fs.ModeSocket|fs.ModeNamedPipe) != 0:
		r.kind = node
	}
	return r, err
}

// permissions are the bits of a mode that Chmod sets.
const permissions = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// finish sets the permissions, the owner and the time of a file that is there again.
func (r *record) finish() error {
	now, err := capture(r.path)
	if err != nil || now.kind != r.kind {
		return err
	}
	var errs error
	if now.owner != r.owner {
		errs = os.Lchown(r.path, r.owner.user, r.owner.group)
	}
	if now.mode&permissions != r.mode&permissions {
		errs = cmp.Or(errs, os.Chmod(r.path, r.mode&permissions))
	}
	if !now.time.Equal(r.time) {
		err := os.Chtimes(r.path, time.Time{}, r.time)
		if r.kind != folder || !errors.Is(err, fs.ErrPermission) { // else it is another user's
			errs = cmp.Or(errs, err)
		}
	}
	return errs
}

func (p *putter) putFolder(r *record) error {
	now, err := capture(r.path)
	if err != nil {
		return err
	}
	if now.kind != folder {
		err = cmp.Or(remove(r.path), os.Mkdir(r.path, 0o700))
	} else if (now.mode|r.mode)&0o700 != now.mode&0o700 {
		err = os.Chmod(r.path, now.mode&permissions|0o700)
	}
	if err != nil || !r.whole {
		return err
	}
	entries, err := os.ReadDir(r.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(r.path, e.Name())
		if was := p.at[name]; was == nil || was.kind == absent {
			err = cmp.Or(err, remove(name))
		}
	}
	return err
}

func (p *putter) putRegular(r *record) error {
	now, err := capture(r.path)
	if err != nil {
		return err
	}
	if r.copy != "" {
		if now.kind != regular || now.stamp.file != r.stamp.file {
			if err := remove(r.path); err != nil {
				return err
			}
		} else if now.mode&0o200 == 0 {
			if err := os.Chmod(r.path, 0o600); err != nil {
				return err
			}
		}
		if err := copyFile(r.path, filepath.Join(p.dir, r.copy), 0o600); err != nil {
			return err
		}
	}
	return r.finish()
}

func (p *putter) putLink(r *record) error {
	now, err := capture(r.path)
	if err != nil || now.kind == link && now.target == r.target {
		return err
	}
	if err := cmp.Or(remove(r.path), os.Symlink(r.target, r.path)); err != nil {
		return err
	}
	if now, err := capture(r.path); err != nil || now.owner == r.owner {
		return err
	}
	return os.Lchown(r.path, r.owner.user, r.owner.group)
}

// putNode makes a socket or a pipe that is missing. Nothing listens at it.
func (p *putter) putNode(r *record) error {
	now, err := capture(r.path)
	if err != nil {
		return err
	}
	if now.mode.Type() != r.mode.Type() {
		if err := cmp.Or(remove(r.path), makeNode(r.path, r.mode)); err != nil {
			return err
		}
	}
	return r.finish()
}

// remove removes a file, and all below it. Folders that cannot be changed do not keep it from
// that.
func remove(path string) error {
	err := os.RemoveAll(path)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && err == nil {
			if info, err := d.Info(); err == nil && info.Mode()&0o700 != 0o700 {
				os.Chmod(name, 0o700)
			}
		}
		return nil
	})
	return os.RemoveAll(path)
}

// copyFile sets the content of a file, which it makes if that is missing.
func copyFile(to, from string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return cmp.Or(err, out.Close())
}

// changedAfter reports whether the file was changed after a moment, so that it is another process
// that has changed it. For a name that was absent, and for one that is missing now, the folder
// tells.
func (r *record) changedAfter(moment time.Time) bool {
	parent := filepath.Dir(r.path)
	switch there := exists(r.path); {
	case !there && r.kind == absent:
		return false
	case !there:
		return isLater(parent, moment)
	case r.kind == absent && parent != tempFolder() && isLater(parent, moment):
		return true
	case r.kind == folder && !r.whole:
		return isLater(r.path, moment)
	}
	later := false
	filepath.WalkDir(r.path, func(name string, d fs.DirEntry, err error) error {
		if isLater(name, moment) {
			later = true
			return fs.SkipAll
		}
		return nil
	})
	return later
}

func isLater(path string, moment time.Time) bool {
	info, err := os.Lstat(path)
	return err == nil && info.ModTime().After(moment)
}
