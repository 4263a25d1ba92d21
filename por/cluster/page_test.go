package cluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// TestPage runs the commands of docs/cluster.md in a copy of docs/example, with the server of a
// test in the place of theirs.
func TestPage(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds binaries")
	}
	home, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(home, "docs/cluster.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 2 {
		t.Fatalf("the page has %d blocks of commands, and not one for serve and one for work", len(blocks))
	}
	bin, dir := t.TempDir(), filepath.Join(t.TempDir(), "example")
	for _, build := range [][]string{{home, "./cmd/por"}, {".", "./cmd/por-cluster"}} {
		cmd := exec.Command("go", "build", "-o", bin+string(filepath.Separator), build[1])
		cmd.Dir = build[0]
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "nats-server"), []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(home, "docs/example"))); err != nil {
		t.Fatal(err)
	}
	mod := filepath.Join(dir, "go.mod")
	module, err := os.ReadFile(mod)
	if err == nil {
		err = os.WriteFile(mod, []byte(strings.Replace(string(module), "=> ../..", "=> "+home, 1)), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := natsServer(t, t.TempDir(), -1)
	run := func(script string) (*exec.Cmd, *text) {
		cmd, out := exec.Command("sh", "-c", strings.ReplaceAll(script, "nats://host:4222", s.ClientURL())), new(text)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "GOFLAGS=", "GOWORK=off", "POR_SAVE=off", "GITHUB_ACTIONS=")
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, out
	}
	prepare, serves, found := strings.Cut(blocks[0][1], "nats-server")
	if !found {
		t.Fatalf("the page starts no server: %s", blocks[0][1])
	}
	cmd, out := run(prepare)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%s: %v: %s", prepare, err, out)
	}
	serve, said := run("nats-server" + serves)
	work, done := run(blocks[1][1])
	if err := work.Wait(); err != nil {
		t.Errorf("%s: %v: %s", blocks[1][1], err, done)
	}
	if err := serve.Wait(); err != nil {
		t.Error(err)
	}
	wantText(t, said.String(), "traces explored, none fails (exhaustive; ", "--- PASS: TestMany")
}
