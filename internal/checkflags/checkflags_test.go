package checkflags_test

import (
	"strings"
	"testing"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/checkflags"
	"github.com/gopor/gopor/internal/environ"
)

func TestEnv(t *testing.T) {
	good := map[string][]string{
		"time":       {"5s", "0"},
		"executions": {"1"},
		"memory":     {"0", "512MB", "2 GB", "1000000"},
		"steps":      {"100"},
		"engine":     {"source", "random"},
		"seed":       {"0"},
		"races":      {"fail", "explore", "ignore"},
		"clock":      {"discrete", "lag", "any"},
		"lag":        {"1ms"},
		"maxclock":   {"1h", "90s"},
		"start":      {"2000-01-01", "2024-02-29T23:59:59Z", "1969-12-31T23:59:59.999999999+01:00"},
		"rand":       {"seeded", "explore"},
		"model":      {"usual", "fine", "pool", "unfair,trylock"},
		"library":    {"google.golang.org/grpc/...", "a.b/c,a.b/d"},
		"maps":       {"sorted", "explore"},
		"network":    {"loopback", "real", "none"},
		"leaks":      {"fail", "allow"},
		"symmetric":  {"off", "on", "find"},
		"save":       {"on", "off"},
		"output":     {"failing", "all"},
		"corpus":     {"on", "off", t.TempDir()},
	}
	for _, v := range []string{"off", "on", "all"} {
		if _, err := checkflags.Env(checkflags.Strict, v); err != nil {
			t.Error(err)
		}
	}
	bad := map[string][]string{
		"strict":     {"", "yes", "limits"},
		"total":      {"", "5", "0", "-1s", "1us"},
		"time":       {"5", "-1s", ""},
		"executions": {"0", "x"},
		"memory":     {"-1", "much", "9999999999GB"},
		"steps":      {"-1"},
		"engine":     {"none"},
		"seed":       {"-1"},
		"races":      {"", "maybe"},
		"clock":      {"real"},
		"lag":        {"0", "-1s", "x"},
		"start":      {"now", "", "1.1.2000", "1949-12-31", "2201-01-01"},
		"rand":       {"real"},
		"model":      {"", "pool;range", "coarse"},
		"library":    {"", "./...", "a b", "a,,b", "/x", "a/.../b"},
		"maps":       {"random"},
		"network":    {"loopbak", "udp"},
		"leaks":      {"yes"},
		"symmetric":  {"yes"},
		"save":       {"maybe"},
		"output":     {"none"},
		"corpus":     {"", "folder", "./folder"},
		"nothing":    {"1"},
	}
	for name, values := range good {
		for _, v := range values {
			want := "POR_CHECK_" + strings.ToUpper(name) + "=" + v
			if env, err := checkflags.Env("check."+name, v); env != want || err != nil {
				t.Errorf("-check.%s=%s: %q, %v", name, v, env, err)
			}
			if name := "POR_CHECK_" + strings.ToUpper(name); !environ.Known(name) {
				t.Errorf("the variable %s is not known", name)
			}
			t.Setenv("POR_CHECK_"+strings.ToUpper(name), v)
			if _, err := checkflags.Options(); err != nil {
				t.Error(err)
			}
		}
		if !strings.Contains(checkflags.Usage(), "-check."+name+" ") {
			t.Errorf("the usage lacks -check.%s", name)
		}
	}
	for name, values := range bad {
		for _, v := range values {
			if env, err := checkflags.Env("check."+name, v); err == nil || !strings.Contains(err.Error(), "; allowed: ") && !strings.Contains(err.Error(), "; the flag means: ") && !strings.Contains(err.Error(), "? Allowed: ") {
				t.Errorf("-check.%s=%s: %q, %v", name, v, env, err)
			}
		}
	}
	if opts, err := checkflags.Options(); len(opts) != len(good) || err != nil {
		t.Errorf("%d options, %v", len(opts), err)
	}
	t.Setenv("POR_CHECK_SEED", "x")
	if _, err := checkflags.Options(); err == nil || !strings.Contains(err.Error(), `POR_CHECK_SEED="x"`) {
		t.Errorf("a bad seed: %v", err)
	}
}

// TestValues gives the flags values as arguments of their own.
func TestValues(t *testing.T) {
	for line := range strings.Lines(checkflags.Usage()) {
		flag, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(flag, "-"+checkflags.Prefix) {
			continue // the rest of a flag's text
		}
		got, packages, _ := build.SplitFlags([]string{flag, "value", "./..."})
		if len(got) != 1 || got[0].Value != "value" || len(packages) != 1 {
			t.Errorf("%s value ./...: %v, %v", flag, got, packages)
		}
		name := strings.ReplaceAll(strings.TrimPrefix(flag, "-"+checkflags.Prefix), ".", "_")
		if flag != "-"+checkflags.Strict && flag != "-"+checkflags.Total {
			t.Setenv("POR_CHECK_"+strings.ToUpper(name), "")
		}
	}
	if err := environ.Check(); err != nil {
		t.Errorf("a flag's variable is not known: %v", err)
	}
}
