package documents

import (
	"flag"
	"fmt"
	"html"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the picture of the packages")

// picture is where that is, from the module's folder.
const picture = "internal/rooms.svg"

// levels returns the packages by how long a chain of imports leads from them to one that imports nothing. Tests, examples and
// commands for development are left out, and packages of one row of the table that ends in "/..." are one.
func levels(all []room, graph map[string][]string) (by [][]string) {
	name := func(pkg string) string {
		for _, r := range all {
			for _, p := range r.packages {
				if below, ok := strings.CutSuffix(p, "/..."); ok && (pkg == below || strings.HasPrefix(pkg, below+"/")) {
					return p
				}
			}
		}
		return pkg
	}
	shown := func(pkg string) bool {
		r := find(all, pkg)
		return r != nil && (!r.free || strings.HasPrefix(pkg, "cmd/"))
	}
	imports := make(map[string][]string)
	for pkg, deps := range graph {
		if !shown(pkg) {
			continue
		}
		to := imports[name(pkg)]
		for _, dep := range deps {
			if shown(dep) && name(dep) != name(pkg) {
				to = append(to, name(dep))
			}
		}
		imports[name(pkg)] = to
	}
	level := make(map[string]int)
	var measure func(pkg string) int
	measure = func(pkg string) int {
		n, ok := level[pkg]
		if ok {
			return n
		}
		level[pkg] = 0 // rooms that hold several packages may import each other
		for _, dep := range imports[pkg] {
			n = max(n, measure(dep)+1)
		}
		level[pkg] = n
		return n
	}
	for _, pkg := range slices.Sorted(maps.Keys(imports)) {
		n := measure(pkg)
		for len(by) <= n {
			by = append(by, nil)
		}
		by[n] = append(by[n], pkg)
	}
	return by
}

// draw draws the levels, the highest one at the top.
func draw(by [][]string) string {
	const width, row, left = 1000, 30, 20
	var b strings.Builder
	y := 44
	box := func(x, w int, pkg string) {
		class := "public"
		if strings.Contains("/"+pkg+"/", "/internal/") {
			class = "internal"
		}
		fmt.Fprintf(&b, "<rect class=%q x=\"%d\" y=\"%d\" width=\"%d\" height=\"22\" rx=\"4\"/>\n", class, x, y, w)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\">%s</text>\n", x+8, y+15, html.EscapeString(pkg))
	}
	for _, pkgs := range slices.Backward(by) {
		x := left
		for _, pkg := range pkgs {
			w := 16 + 7*len(pkg)
			if x+w > width-left {
				x, y = left, y+row
			}
			box(x, w, pkg)
			x += w + 10
		}
		y += row
		fmt.Fprintf(&b, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", left, y-4, width-left, y-4)
		y += 6
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d">
<title>The packages</title>
<style>
text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328; }
.head { font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #57606a; }
.page { fill: #ffffff; stroke: #d0d7de; }
.public { fill: #eef4fb; stroke: #4a6b8a; }
.internal { fill: #f6f8fa; stroke: #8c959f; }
line { stroke: #d0d7de; }
</style>
<rect class="page" x="0.5" y="0.5" width="%d" height="%d" rx="8"/>
<text class="head" x="20" y="26">A package imports packages of the bands below its own only. Blue: public. Grey: internal.</text>
%s</svg>
`, width, y, width, y, width-1, y-1, b.String())
}

// TestPicture draws the packages by what go list says, and compares that with the picture in DEVELOPMENT.md.
func TestPicture(t *testing.T) {
	want := draw(levels(rooms(t, read(t, "DEVELOPMENT.md")), imports(t)))
	if !strings.Contains(read(t, "DEVELOPMENT.md"), "]("+picture+")") {
		t.Errorf("DEVELOPMENT.md does not show %s", picture)
	}
	if *update {
		if err := os.WriteFile(filepath.Join(home, picture), []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if read(t, picture) != want {
		t.Errorf("%s is not what there is: go test ./internal/test/documents -run TestPicture -update draws it", picture)
	}
}
