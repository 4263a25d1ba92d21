// Package docs has the pages for people, for command por to look things up in.
package docs

import "embed"

// Pages are the pages by their names in this folder.
//
//go:embed *.md limits/*.md
var Pages embed.FS
