package live

// FileKeeper keeps files aside that an execution changes.
type FileKeeper interface {
	PutBack() error // puts back all files at the end of an execution
	Close() error   // is called when there are no more executions
}

// FileCall is a call that may use files.
type FileCall struct {
	Used  bool      // it has
	Lasts bool      // it has used a file that the execution has not made
	Above *FileCall // the one that it is a part of
}
