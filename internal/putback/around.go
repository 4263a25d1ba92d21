package putback

import (
	"maps"
	"sync"
)

// mostChanged is how many files are remembered that executions have changed.
const mostChanged = 1000

// changed has the files that executions of this process have changed.
var changed struct {
	sync.Mutex
	how map[string]How
}

// remember adds the files of an execution.
func remember(records []*record) {
	changed.Lock()
	defer changed.Unlock()
	if changed.how == nil {
		changed.how = make(map[string]How)
	}
	for _, r := range records {
		switch {
		case len(changed.how) == mostChanged:
			return
		case r.whole:
			changed.how[r.path] = Tree
		default:
			changed.how[r.path] |= Name
		}
	}
}

// Around calls f, which runs a test without control in another process, and puts back the files
// that executions of this process have changed: the other process is likely to change them, too.
func Around(folder string, f func()) {
	changed.Lock()
	files := maps.Clone(changed.how)
	changed.Unlock()
	if folder == "" || len(files) == 0 {
		f()
		return
	}
	k := New(folder, nil)
	defer k.Close()
	defer k.PutBack()
	for name, how := range files {
		k.Before(name, how)
	}
	f()
}
