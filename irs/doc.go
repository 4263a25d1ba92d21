// Package irs is iteratively relaxed scheduling.
package irs
