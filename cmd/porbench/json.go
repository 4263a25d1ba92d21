package main

import (
	"encoding/json"
	"fmt"
	"io"
)

// jsonVersion is the version of what -json prints. Within a version fields are added, and none is
// renamed or removed.
const jsonVersion = 1

// writeJSON prints an object as one line, with the version as its first field.
func writeJSON(w io.Writer, object any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "{\"version\":%d,%s\n", jsonVersion, body[1:])
	return err
}
