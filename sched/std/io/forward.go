package io

import (
	"io"
)

// What this file declares is that of package io.

const (
	SeekCurrent = io.SeekCurrent
	SeekEnd     = io.SeekEnd
	SeekStart   = io.SeekStart
)

var (
	Discard          = io.Discard
	EOF              = io.EOF
	ErrClosedPipe    = io.ErrClosedPipe
	ErrNoProgress    = io.ErrNoProgress
	ErrShortBuffer   = io.ErrShortBuffer
	ErrShortWrite    = io.ErrShortWrite
	ErrUnexpectedEOF = io.ErrUnexpectedEOF
)

type (
	ByteReader      = io.ByteReader
	ByteScanner     = io.ByteScanner
	ByteWriter      = io.ByteWriter
	Closer          = io.Closer
	LimitedReader   = io.LimitedReader
	OffsetWriter    = io.OffsetWriter
	ReadCloser      = io.ReadCloser
	ReadSeekCloser  = io.ReadSeekCloser
	ReadSeeker      = io.ReadSeeker
	ReadWriteCloser = io.ReadWriteCloser
	ReadWriteSeeker = io.ReadWriteSeeker
	ReadWriter      = io.ReadWriter
	Reader          = io.Reader
	ReaderAt        = io.ReaderAt
	ReaderFrom      = io.ReaderFrom
	RuneReader      = io.RuneReader
	RuneScanner     = io.RuneScanner
	SectionReader   = io.SectionReader
	Seeker          = io.Seeker
	StringWriter    = io.StringWriter
	WriteCloser     = io.WriteCloser
	WriteSeeker     = io.WriteSeeker
	Writer          = io.Writer
	WriterAt        = io.WriterAt
	WriterTo        = io.WriterTo
)

func Copy(dst Writer, src Reader) (written int64, err error) { return io.Copy(dst, src) }
func CopyBuffer(dst Writer, src Reader, buf []byte) (written int64, err error) {
	return io.CopyBuffer(dst, src, buf)
}
func CopyN(dst Writer, src Reader, n int64) (written int64, err error) { return io.CopyN(dst, src, n) }
func LimitReader(r Reader, n int64) Reader                             { return io.LimitReader(r, n) }
func MultiReader(readers ...Reader) Reader                             { return io.MultiReader(readers...) }
func MultiWriter(writers ...Writer) Writer                             { return io.MultiWriter(writers...) }
func NewOffsetWriter(w WriterAt, off int64) *OffsetWriter              { return io.NewOffsetWriter(w, off) }
func NewSectionReader(r ReaderAt, off int64, n int64) *SectionReader {
	return io.NewSectionReader(r, off, n)
}
func NopCloser(r Reader) ReadCloser    { return io.NopCloser(r) }
func ReadAll(r Reader) ([]byte, error) { return io.ReadAll(r) }
func ReadAtLeast(r Reader, buf []byte, min int) (n int, err error) {
	return io.ReadAtLeast(r, buf, min)
}
func ReadFull(r Reader, buf []byte) (n int, err error)  { return io.ReadFull(r, buf) }
func TeeReader(r Reader, w Writer) Reader               { return io.TeeReader(r, w) }
func WriteString(w Writer, s string) (n int, err error) { return io.WriteString(w, s) }
