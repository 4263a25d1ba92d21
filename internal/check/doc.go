// Package check makes a test one search of package explore: it gives every execution a testing.TB
// of its own, has worker processes explore as well, replaces a test binary by one that is under
// control, and reports to package testing and to por test.
package check
