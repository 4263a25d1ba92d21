// Package states has the graph of the states of a program ([States]), which the stateful engines
// share: walking through it, states that lead only to each other, livelocks, and orders in which a
// search begins again.
package states
