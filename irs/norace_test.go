//go:build !race

package irs

const slower = 1
