// Command release compares the standard library of a release of Go with what gopor knows of it, for
// bringing up a new release:
//
//	GOTOOLCHAIN=go1.28.0 go run ./internal/release
//
// It prints a line for each name that package known has and the library lacks, or has with
// other parameters. It also prints a line for each new exported name without a line in
// internal/known/new.txt. It exits with status 1 if it has printed any. The flag -goroot
// selects another toolchain. The flag -add prints the missing names as lines for new.txt, to be
// judged, and -base prints the exported names in the format of internal/known/names.txt.
//
// It reads the files of the library that are compiled for GOOS=linux and GOARCH=amd64 without
// cgo. It does not list constants.
package main

import (
	"flag"
	"fmt"
	"go/build"
	"io"
	"os"

	"github.com/gopor/gopor/internal/known"
)

func main() {
	goroot := flag.String("goroot", build.Default.GOROOT, "the toolchain to look at")
	add := flag.Bool("add", false, "print what new.txt has not, as lines for it")
	base := flag.Bool("base", false, "print the exported names, as names.txt has them")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "release: unexpected argument %q; the toolchain is named by -goroot\n", flag.Arg(0))
		os.Exit(2)
	}
	lib, err := readLibrary(*goroot)
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(2)
	}
	switch {
	case *base:
		lib.printNames(os.Stdout)
		return
	case *add:
		for _, symbol := range unlisted(lib, known.News(), known.Base()) {
			fmt.Printf("1.%d %s\n", lib.minor, symbol)
		}
		return
	}
	if !report(os.Stdout, lib) {
		os.Exit(1)
	}
}

// report prints the differences between a library and package known. It reports whether there
// are none.
func report(w io.Writer, lib *library) bool {
	lines := differences(lib, known.All(), known.News(), known.Base())
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	state := "known"
	if lib.minor < known.Oldest || lib.minor > known.Newest {
		state = "not one of " + known.Releases()
	}
	fmt.Fprintf(w, "%s (%s): %d differences\n", lib.version, state, len(lines))
	return len(lines) == 0
}
