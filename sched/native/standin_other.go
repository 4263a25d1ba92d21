//go:build !unix

package native

import "github.com/gopor/gopor/internal/live"

// SocketStandIn returns nil: these systems have no such sockets.
func (execution) SocketStandIn([]byte, live.SocketStatus) (live.StandIn, int) { return nil, 0 }
