package por

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/check"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/muted"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
)

// diagnosisOf returns the diagnosis of a program that fails.
func diagnosisOf(t *testing.T, f any, opts ...Option) *report.Diagnosis {
	t.Helper()
	var found *report.Diagnosis
	c, err := explore.NewConfig(append([]Option{Direct()}, opts...))
	if err != nil {
		t.Fatal(err)
	}
	h, err := check.NewHarness(&muted.TB{TB: t}, f)
	if err != nil {
		t.Fatal(err)
	}
	s := check.NewShared(c, h.Subject(), h)
	s.Where = explore.Place{Name: t.Name(), Test: t.Name(), Pkg: "example.org/p", Command: "go test"}
	res, err := h.Run(s)
	if err != nil || len(res.Failures) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	found = res.Failures[0].Diagnosis
	return found
}

// TestDiagnosisJSON writes a diagnosis as data, and reads it again: the text that is written
// from what was read is the same, but for what a text alone needs.
func TestDiagnosisJSON(t *testing.T) {
	d := diagnosisOf(t, buggyWakeup)
	var b bytes.Buffer
	if err := d.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "{\n\t\"version\": 1,\n\t\"kind\": \"deadlock\",\n") {
		t.Errorf("it begins with\n%.100s", b.String())
	}
	var again report.Diagnosis
	if err := json.Unmarshal(b.Bytes(), &again); err != nil {
		t.Fatal(err)
	}
	l := report.Layout{Width: explore.DefaultWidth}
	if got, want := again.Text(l), d.Text(l); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again.Bug != "deadlock by a lost wakeup" || again.At.Where() != "bugs_test.go:111" || len(again.Goroutines) != 2 {
		t.Errorf("%+v", again)
	}
}

func TestExport(t *testing.T) {
	d, s := diagnosisOf(t, buggyTransfer), &explore.Session{}
	dir := t.TempDir()
	t.Setenv("POR_JSON", filepath.Join(dir, "a", "one.json"))
	t.Setenv("POR_HTML", dir)
	for range 2 {
		if said := s.Export(d); strings.Count(said, "\n") != 2 || strings.Contains(said, "not written") {
			t.Error(said)
		}
	}
	for _, name := range []string{"a/one.json", "a/one-2.json", "TestExport.html", "TestExport-2.html"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(data), "deadlock by lock order") {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Setenv("POR_JSON", filepath.Join(dir, "TestExport.html", "x"))
	t.Setenv("POR_HTML", "")
	if said := s.Export(d); !strings.HasPrefix(said, "data: not written: ") {
		t.Error(said)
	}
}

// browser returns the command of a browser that can do without a screen, or skips the test.
func browser(t *testing.T) string {
	if !effort.Full() {
		t.Skip("opens pages in a browser")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium or chrome is installed: the page is not looked at")
	return ""
}

// rendered opens a page in a browser and returns what is on it once its scripts have run.
func rendered(t *testing.T, path string, more ...string) string {
	t.Helper()
	args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir=" + t.TempDir(), "--virtual-time-budget=2000"}, more...)
	cmd := exec.Command(browser(t), append(args, "file://"+path)...)
	cmd.WaitDelay = time.Minute
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestNarrowPage opens a page with many goroutines in a window that has no room for their columns:
// there is a list then, which is as wide as the window, unless columns are asked for.
func TestNarrowPage(t *testing.T) {
	browser(t)
	d := diagnosisOf(t, func() {
		var wg sched.WaitGroup
		n := sched.NewVar(0)
		for range 8 {
			wg.Add(1)
			sched.Go(func() { defer wg.Done(); n.Load() })
		}
		wg.Wait()
		panic("eight")
	})
	var b bytes.Buffer
	if err := d.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	for _, test := range []struct{ script, want, lacks string }{
		{"", `<div>goroutine</div>`, "TOO WIDE"},
		{"document.getElementById('wide').click();", `<small></small></div><div title="g1">g1`, `<div>goroutine</div>`},
	} {
		script := test.script + "const box = document.getElementById('diagram'); if (box.scrollWidth > box.clientWidth) document.body.append('TOO' + ' WIDE')"
		if err := os.WriteFile(page, []byte(strings.Replace(b.String(), "</body>", "<script>"+script+"</script></body>", 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		shown := regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAllString(rendered(t, page, "--dump-dom", "--window-size=500,844"), "")
		if !strings.Contains(shown, test.want) || strings.Contains(shown, test.lacks) {
			t.Errorf("after %q the page lacks %q, or has %q:\n%s", test.script, test.want, test.lacks, shown)
		}
	}
}

// TestPage opens the page in a browser: it shows the execution, and what is clicked on.
func TestPage(t *testing.T) {
	chrome := browser(t)
	t.Log(chrome)
	d := diagnosisOf(t, buggyTransfer)
	var b bytes.Buffer
	if err := d.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	if links := regexp.MustCompile(`(src|href)=|@import|url\([^#]`).FindAllString(b.String(), -1); len(links) != 0 {
		t.Errorf("the page needs something else: %q", links)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	for _, test := range []struct {
		name, script string
		want, lacks  []string
	}{
		{"as it is", "", []string{
			"deadlock by lock order: g1 and g2 wait for each other</h1>", "g1 Transfer(alice, bob)", "lock alice.mu, waits for g1", "from.lock()", "holds alice.mu", "POR_REPLAY="},
			[]string{"wg.add wg = 2"}},
		{"a click", `document.querySelector('.r[data-i="4"]').click()`, []string{`<h2>g1: lock alice.mu</h2>`, "step 2", "func (p *purse) lock()"}, nil},
		{"all steps", `document.getElementById('all').click()`, []string{"wg.add wg = 2"}, nil},
		{"back and forward", `for (const i of [1, 2, 3]) document.getElementById('prev').click(); document.getElementById('next').click()`,
			[]string{`<h2>g2: lock bob.mu</h2>`, "a preemption"}, nil},
		{"one goroutine", `document.querySelector('[data-g="g2"]').click()`, []string{"lock alice.mu</div>"}, []string{"lock bob.mu</div>"}},
		{"an object", `const o = document.getElementById('object'); o.value = 'bob.mu'; o.onchange(); document.getElementById('prev').click()`,
			[]string{` follow"`, `<h2>g2: lock bob.mu</h2>`}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := strings.Replace(b.String(), "</body>", "<script>"+test.script+"</script></body>", 1)
			if err := os.WriteFile(page, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			shown := rendered(t, page, "--dump-dom")
			// The data is on the page too, and is not what is looked for.
			shown = regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAllString(shown, "")
			for _, part := range test.want {
				if !strings.Contains(shown, part) {
					t.Errorf("%q is not shown in\n%s", part, shown)
				}
			}
			for _, part := range test.lacks {
				if strings.Contains(shown, part) {
					t.Errorf("%q is shown", part)
				}
			}
		})
	}
}
