// Package maps is what rewritten code gets when it imports package maps. Under
// control, maps are gone over in the order in which a loop over them goes.
package maps
