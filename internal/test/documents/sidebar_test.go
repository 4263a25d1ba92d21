package documents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSidebar: the site has every page of docs in its sidebar. The site itself is not built without
// programs that are no part of Go.
func TestSidebar(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(home, "docs", ".vitepress", "pages.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(home, "docs", "*.md"))
	if err != nil || len(pages) < 15 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range pages {
		if name := "docs/" + filepath.Base(page); !strings.Contains(string(list), "'"+name+"'") {
			t.Errorf("%s is not in the sidebar: see docs/.vitepress/pages.mjs", name)
		}
	}
}
