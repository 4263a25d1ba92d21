// Package programs holds a test that builds, and runs, the programs of one file in the test folder of the Go
// distribution under control: some 1,400, with which the compiler's authors keep the
// corners of the language. What the compiler compiles has to compile under control, and what passes has to pass.
//
// The sources are read from GOROOT when the test runs. What comes out otherwise, and why, is in the test.
package programs
