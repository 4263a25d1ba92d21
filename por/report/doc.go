// Package report says what is wrong with an execution: as data, as text, and as a page.
//
// A [Case] is a failure and the record of its execution. From it comes a [Diagnosis]: what kind of
// bug it is, which goroutines have to do with it, what each of them holds and waits for, and the
// steps that have led there. Text, JSON and HTML are written from the diagnosis and from nothing
// else. Package por makes cases of what its searches find.
package report
