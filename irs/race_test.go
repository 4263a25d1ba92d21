//go:build race

package irs

// slower is how many times fewer programs and executions are tried, as each takes longer.
const slower = 10
