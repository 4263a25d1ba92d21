// Package search has the parts that engines share: walking through the executions of a program
// ([Walk]), depth first ([DepthFirst]), with the happens-before relation of the present one
// ([Trail]); sleep sets; fairness; the two searches that packages por and bpor share,
// [Backtrack] and [Optimal]; and [Eager], which explores the solutions of a [Section].
package search
