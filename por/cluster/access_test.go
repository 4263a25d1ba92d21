package cluster

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/gopor/gopor/internal/share"
)

// must returns x, and ends the program if err is an error.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// An authority signs certificates.
type authority struct {
	folder      string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	serial      int64
}

// newAuthority returns an authority of which the certificate is ca.pem in a folder.
func newAuthority(folder string) *authority {
	a := &authority{folder: folder, key: must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))}
	a.certificate = &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der := must(x509.CreateCertificate(rand.Reader, a.certificate, a.certificate, a.key.Public(), a.key))
	a.write("ca.pem", "CERTIFICATE", der)
	return a
}

func (a *authority) write(name, kind string, der []byte) string {
	name = filepath.Join(a.folder, name)
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		panic(err)
	}
	return name
}

// issue makes a certificate for servers at this machine, and for clients, in name.pem, with its key in name.key.
func (a *authority) issue(name string) (certificate, key string) {
	a.serial++
	k := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{SerialNumber: big.NewInt(1 + a.serial), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der := must(x509.CreateCertificate(rand.Reader, template, a.certificate, k.Public(), a.key))
	return a.write(name+".pem", "CERTIFICATE", der), a.write(name+".key", "PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(k)))
}

// newUser returns the public key and the seed of an nkey.
func newUser() (public, seed string) {
	pair := must(nkeys.CreateUser())
	return must(pair.PublicKey()), string(must(pair.Seed()))
}

// file writes a file in a folder for the time of a test.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// started starts a server with options: at any port and in a folder of its own, if they do not say.
func started(t *testing.T, o *server.Options) *server.Server {
	t.Helper()
	o.Host, o.Port, o.StoreDir, o.NoLog, o.NoSigs = "127.0.0.1", cmp.Or(o.Port, -1), cmp.Or(o.StoreDir, t.TempDir()), true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the NATS server does not start")
	}
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

// guarded is a server with the configuration of docs/cluster.md, and what its users have.
type guarded struct {
	server      *server.Server
	url         string
	serve, work Access
	secrets     []string // nothing that is printed may have one of them
	seedOfWork  string
}

// newGuarded starts such a server. The configuration is changed by edit, unless that is nil.
func newGuarded(t *testing.T, edit func(string) string) *guarded {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "cluster.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```conf\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("the page has no configuration")
	}
	g := new(guarded)
	folder := t.TempDir()
	a := newAuthority(folder)
	a.issue("server")
	publicServe, seedServe := newUser()
	publicWork, seedWork := newUser()
	config := strings.NewReplacer("UASERVE", publicServe, "UAWORK", publicWork, "server.", filepath.Join(folder, "server."), "ca.pem", filepath.Join(folder, "ca.pem")).Replace(string(block[1]))
	if edit != nil {
		changed := edit(config)
		if changed == config {
			t.Fatal("nothing is edited")
		}
		config = changed
	}
	o, err := server.ProcessConfigFile(file(t, config))
	if err != nil {
		t.Fatal(err)
	}
	if o.TLSConfig.ClientAuth != tls.RequireAndVerifyClientCert || !o.JetStream || len(o.Nkeys) != 2 || o.Nkeys[0].Permissions == nil || o.Nkeys[1].Permissions == nil {
		t.Fatalf("the configuration of the page does not ask for what it should")
	}
	secret := "the secret of this search"
	o.Port, o.StoreDir = 0, "" // those of the page are for one server at a time
	g.server = started(t, o)
	g.url = fmt.Sprint("nats://127.0.0.1:", port(t, g.server))
	g.serve = Access{CA: filepath.Join(folder, "ca.pem"), Nkey: file(t, seedServe+"\n"), Secret: file(t, secret+"\n")}
	g.serve.Cert, g.serve.Key = a.issue("serve")
	g.work = g.serve
	g.work.Nkey = file(t, seedWork)
	g.work.Cert, g.work.Key = a.issue("work")
	g.secrets, g.seedOfWork = []string{seedServe, seedWork, secret}, seedWork
	return g
}

// wantNoSecret fails if something that was printed has a secret in it.
func (g *guarded) wantNoSecret(t *testing.T, out string) {
	t.Helper()
	for _, s := range g.secrets {
		if strings.Contains(out, s) {
			t.Errorf("a secret is printed:\n%s", out)
		}
	}
}

// options returns those of a test, for the search that the page names.
func (g *guarded) options(test string, a Access, out *text) Options {
	o := options(g.url, test)
	o.Name, o.Access, o.Out, o.Output = "bank", a, out, out
	return o
}

// TestPermissions has a search with a server that has the configuration of docs/cluster.md: serve is stopped and
// goes on, a result is refused, and nothing that is not allowed is asked for.
func TestPermissions(t *testing.T) {
	t.Setenv("GOPOR_TEST_FOLDER", t.TempDir())
	g := newGuarded(t, nil)
	out, worked := new(text), new(text)
	o := g.options("long", g.serve, out)
	stop := make(chan struct{})
	go func() {
		ctx, cancel := context.WithCancel(t.Context())
		defer close(stop)
		defer cancel()
		done := make(chan error)
		go func() { done <- Work(ctx, g.options("long", g.work, worked)) }()
		s, err := connect(&o, "serve")
		if err != nil {
			t.Error(err)
			return
		}
		defer s.nc.Close()
		awaitState(t, s, o.resultStream(), 3)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		// What no worker has signed is in the place of a result.
		w, err := connect(&Options{URL: g.url, Access: g.work, Name: "bank", Out: worked}, "work")
		if err != nil {
			t.Error(err)
			return
		}
		defer w.nc.Close()
		if err := w.nc.Publish(o.result(someID), []byte("forged")); err != nil {
			t.Error(err)
		}
		out.await(t, "refused a result of job "+someID+": it is not a message of por-cluster")
	}()
	if status, err := Serve(t.Context(), o, stop); err != nil || status != 130 {
		t.Errorf("exit status %d, %v\n%s", status, err, out)
	}
	os.Unsetenv("NATS_NKEY_SEED")
	t.Setenv("NATS_NKEY_SEED", g.seedOfWork)
	a := g.work
	a.Nkey = ""
	if a.FromEnvironment(); a.Seed != g.seedOfWork || os.Getenv("NATS_NKEY_SEED") != "" {
		t.Error("the seed of the environment is not used, or stays there")
	}
	workers(t, 2, g.options("long", a, worked))
	wantText(t, serve(t, g.options("long", g.serve, out)), all40320, "going on with search bank, of which ")
	if err := Clear(g.options("long", g.serve, out)); err != nil {
		t.Error(err)
	}
	for _, said := range []string{out.String(), worked.String()} {
		g.wantNoSecret(t, said)
		if strings.Contains(said, "does not allow") || strings.Contains(said, "without TLS") {
			t.Error(said)
		}
	}
}

// awaitState waits until a stream has so many messages.
func awaitState(t *testing.T, s *search, name string, n uint64) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		ctx, cancel := call()
		stream, err := s.js.Stream(ctx, name)
		cancel()
		if err == nil && stream.CachedInfo().State.Msgs >= n {
			return
		}
	}
	t.Errorf("%s has fewer than %d messages", name, n)
}

// await waits until a text is written.
func (t *text) await(test *testing.T, part string) {
	test.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(t.String(), part) {
			return
		}
	}
	test.Errorf("%q is missing in\n%s", part, t)
}

// TestNotAllowed takes single rights from the configuration: each is missed, and named.
func TestNotAllowed(t *testing.T) {
	t.Setenv("GOPOR_TEST_FOLDER", t.TempDir())
	for _, x := range []struct{ right, want string }{
		{`"$JS.API.STREAM.CREATE.POR_bank_RESULTS"`, `Permissions Violation for Publish to "$JS.API.STREAM.CREATE.POR_bank_RESULTS"`},
		{`"$JS.API.CONSUMER.CREATE.POR_bank_JOBS.workers"`, `Permissions Violation for Publish to "$JS.API.CONSUMER.CREATE.POR_bank_JOBS.workers"`},
		{`"por.bank.job.*"`, `Permissions Violation for Publish to "por.bank.job.`},
		{`"_INBOX_por_bank_serve.>"`, `Permissions Violation for Subscription to "_INBOX_por_bank_serve.`},
	} {
		g := newGuarded(t, func(config string) string { return strings.Replace(config, x.right, `"no.such.subject"`, 1) })
		out := new(text)
		o := g.options("none", g.serve, out)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			defer cancel()
			out.await(t, "por-cluster: the NATS server does not allow this user what por-cluster needs: nats: permissions violation: "+x.want)
		}()
		Serve(ctx, o, nil)
		g.wantNoSecret(t, out.String())
	}
}

// TestNoAccess has clients be refused that lack something, and nothing be said of what they have. The
// server ends the connection of one without a certificate at a moment that may differ.
func TestNoAccess(t *testing.T) {
	t.Setenv("GOPOR_TEST_FOLDER", t.TempDir())
	g := newGuarded(t, nil)
	_, stranger := newUser()
	other := newAuthority(t.TempDir())
	account := must(nkeys.CreateAccount())
	notUser := string(must(account.Seed()))
	g.secrets = append(g.secrets, stranger, notUser, "hunter2", "garbage", "short secret")
	with := func(change func(a *Access)) Access {
		a := g.work
		change(&a)
		return a
	}
	missing := filepath.Join(t.TempDir(), "missing")
	for _, x := range []struct {
		name   string
		access Access
		want   string
	}{
		{"no certificate", with(func(a *Access) { a.Cert, a.Key = "", "" }), "cannot connect to nats://127.0.0.1:"},
		{"certificate of another", with(func(a *Access) { a.Cert, a.Key = other.issue("other") }), "cannot connect to nats://127.0.0.1:"},
		{"server of another", with(func(a *Access) { a.CA = filepath.Join(other.folder, "ca.pem") }), "x509: certificate signed by unknown authority"},
		{"no CA", with(func(a *Access) { a.CA = "" }), "x509: certificate signed by unknown authority"},
		{"half a certificate", with(func(a *Access) { a.Key = "" }), "a client certificate takes two files"},
		{"no such certificate", with(func(a *Access) { a.Cert = missing }), missing},
		{"no user", with(func(a *Access) { a.Nkey = "" }), "Authorization Violation"},
		{"another user", with(func(a *Access) { a.Nkey = file(t, stranger) }), "Authorization Violation"},
		{"another user's seed", with(func(a *Access) { a.Nkey, a.Seed = "", stranger }), "Authorization Violation"},
		{"a password", with(func(a *Access) { a.Nkey, a.User, a.Password = "", "me", "hunter2" }), "Authorization Violation"},
		{"a token", with(func(a *Access) { a.Nkey, a.User = "", "hunter2" }), "Authorization Violation"},
		{"no file", with(func(a *Access) { a.Nkey = missing }), "nkey: open " + missing},
		{"no seed", with(func(a *Access) { a.Nkey = file(t, "garbage") }), "there is no seed of an nkey in "},
		{"no seed in the environment", with(func(a *Access) { a.Nkey, a.Seed = "", "garbage" }), "there is no seed of an nkey in the environment"},
		{"seed of an account", with(func(a *Access) { a.Nkey, a.Seed = "", notUser }), "the nkey in the environment is not that of a user"},
		{"no credentials", with(func(a *Access) { a.Nkey, a.Creds = "", file(t, "garbage") }), "there is no seed of a user in "},
		{"no file of credentials", with(func(a *Access) { a.Nkey, a.Creds = "", missing }), "credentials: open " + missing},
		{"two users", with(func(a *Access) { a.User = "me" }), "more than one of credentials, nkey and user is given"},
		{"a password alone", with(func(a *Access) { a.Nkey, a.Password = "", "hunter2" }), "a password is given, and no user"},
		{"no secret", with(func(a *Access) { a.Secret = missing }), "secret: open " + missing},
		{"a short secret", with(func(a *Access) { a.Secret = file(t, "short secret") }), "it takes 16 bytes at least"},
	} {
		t.Run(x.name, func(t *testing.T) {
			out := new(text)
			o := g.options("none", x.access, out)
			err := Work(t.Context(), o)
			if err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("%v, want %s", err, x.want)
			}
			g.wantNoSecret(t, fmt.Sprintf("%v %s %v %+v %#v", err, out, o, x.access, x.access))
		})
	}
}

// TestSecretURL has URLs with passwords, which nothing that is printed has.
func TestSecretURL(t *testing.T) {
	s := started(t, &server.Options{JetStream: true, Username: "me", Password: "hunter2 %/"})
	at := port(t, s)
	for _, x := range []struct{ url, want string }{
		{fmt.Sprintf("nats://me:hunter2%%21@127.0.0.1:%d", at), fmt.Sprintf("cannot connect to nats://127.0.0.1:%d: nats: Authorization Violation", at)},
		{fmt.Sprintf("me:hunter2%%21@127.0.0.1:%d", at), fmt.Sprintf("cannot connect to nats://127.0.0.1:%d: nats: Authorization Violation", at)},
		{fmt.Sprintf("hunter2@127.0.0.1:%d", at), fmt.Sprintf("cannot connect to nats://127.0.0.1:%d: nats: Authorization Violation", at)},
		{"nats://me:hunter2@127.0.0.1:1,nats://127.0.0.1:2", "cannot connect to nats://127.0.0.1:1,nats://127.0.0.1:2: "},
		{"nats://me:hunter2@127.0.0.1:port", "the URL of the NATS server is damaged"},
		{"nats://me:hunter2%@127.0.0.1:1", "the URL of the NATS server is damaged"},
		{"nats://me:hunter2@", "the URL of the NATS server is damaged"},
		{"hunter2://me:hunter2@127.0.0.1:1", ""},
	} {
		out := new(text)
		o := options(x.url, "none")
		o.Out = out
		err := Work(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", x.url, err, x.want)
		}
		if said := fmt.Sprint(err, out); strings.Contains(strings.ReplaceAll(said, "hunter2://", ""), "hunter2") {
			t.Errorf("%s: %s", x.url, said)
		}
	}
	t.Setenv("GOPOR_TEST_FOLDER", t.TempDir())
	url := fmt.Sprintf("nats://me:hunter2%%20%%25%%2F@127.0.0.1:%d", at)
	o := options(url, "none")
	workers(t, 1, o)
	out := serve(t, o)
	wantText(t, out, all5040, fmt.Sprintf("por-cluster work -run 'TestShared/none' nats://127.0.0.1:%d PROGRAM", at), fmt.Sprintf("the password went to nats://127.0.0.1:%d without TLS", at))
	if strings.Contains(out, "hunter2") {
		t.Error(out)
	}
}

// TestNoTLS has a server without TLS be refused where TLS is asked for.
func TestNoTLS(t *testing.T) {
	s := started(t, &server.Options{JetStream: true})
	o := options(s.ClientURL(), "none")
	o.Access.CA = filepath.Join(newAuthority(t.TempDir()).folder, "ca.pem")
	if err := Work(t.Context(), o); err == nil || !strings.Contains(err.Error(), "nats: secure connection not available") {
		t.Error(err)
	}
}

// TestCredentials has a search by a file of NATS credentials, at a server that knows an operator.
func TestCredentials(t *testing.T) {
	t.Setenv("GOPOR_TEST_FOLDER", t.TempDir())
	operator, account, user := must(nkeys.CreateOperator()), must(nkeys.CreateAccount()), must(nkeys.CreateUser())
	accountKey := must(account.PublicKey())
	claims := jwt.NewAccountClaims(accountKey)
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	accountJWT := must(claims.Encode(operator))
	userJWT := must(jwt.NewUserClaims(must(user.PublicKey())).Encode(account))
	creds := string(must(jwt.FormatUserConfig(userJWT, must(user.Seed()))))
	operatorClaims := jwt.NewOperatorClaims(must(operator.PublicKey()))
	system := must(nkeys.CreateAccount())
	operatorClaims.SystemAccount = must(system.PublicKey())
	operatorClaims = must(jwt.DecodeOperatorClaims(must(operatorClaims.Encode(operator))))
	resolver := new(server.MemAccResolver)
	for key, text := range map[string]string{accountKey: accountJWT, operatorClaims.SystemAccount: must(jwt.NewAccountClaims(operatorClaims.SystemAccount).Encode(operator))} {
		if err := resolver.Store(key, text); err != nil {
			t.Fatal(err)
		}
	}
	s := started(t, &server.Options{JetStream: true, TrustedOperators: []*jwt.OperatorClaims{operatorClaims}, SystemAccount: operatorClaims.SystemAccount, AccountResolver: resolver})
	o := options(s.ClientURL(), "none")
	t.Setenv("NATS_CREDS", file(t, creds))
	o.Access.FromEnvironment()
	workers(t, 1, o)
	out := serve(t, o)
	wantText(t, out, all5040)
	other := must(nkeys.CreateUser())
	o.Access.Creds = file(t, string(must(jwt.FormatUserConfig(userJWT, must(other.Seed()))))) // the seed of another user
	err := Work(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "Authorization Violation") {
		t.Error(err)
	}
	for _, secret := range []string{userJWT, string(must(user.Seed())), string(must(other.Seed()))} {
		if strings.Contains(fmt.Sprint(out, err), secret) {
			t.Error("a secret is printed")
		}
	}
}

// TestFromEnvironment has flags go before variables, and an identity by flags before another one by variables.
func TestFromEnvironment(t *testing.T) {
	set := func() {
		for _, name := range []string{"NATS_CA", "NATS_CERT", "NATS_KEY", "NATS_CREDS", "NATS_NKEY", "NATS_NKEY_SEED", "NATS_USER", "NATS_PASSWORD", "GOPOR_CLUSTER_SECRET"} {
			t.Setenv(name, name)
		}
	}
	set()
	var a Access
	a.FromEnvironment()
	if want := (Access{"NATS_CA", "NATS_CERT", "NATS_KEY", "NATS_CREDS", "NATS_NKEY", "NATS_NKEY_SEED", "NATS_USER", "NATS_PASSWORD", "GOPOR_CLUSTER_SECRET"}); a != want {
		t.Error("a variable is not used")
	}
	for name := range a.variables() {
		if _, is := os.LookupEnv(name); is {
			t.Errorf("%s is left in the environment", name)
		}
	}
	set()
	a = Access{CA: "ca", Nkey: "nkey"}
	a.FromEnvironment()
	if want := (Access{CA: "ca", Cert: "NATS_CERT", Key: "NATS_KEY", Nkey: "nkey", Secret: "GOPOR_CLUSTER_SECRET"}); a != want {
		t.Error("variables go before flags")
	}
}

// TestStrangers has a search go on whatever strangers publish: results and jobs of theirs are refused, and named.
func TestStrangers(t *testing.T) {
	server, _ := here(t)
	out := new(text)
	o := options(server.ClientURL(), "none")
	o.Access.Secret = file(t, "the secret of this search")
	o.Out, o.Output = out, out
	served := make(chan error)
	go func() {
		_, err := Serve(t.Context(), o, nil)
		served <- err
	}()
	s, err := connect(&o, "serve")
	if err != nil {
		t.Fatal(err)
	}
	defer s.nc.Close()
	awaitState(t, s, o.jobStream(), 1)
	ctx, cancel := call()
	defer cancel()
	if f := must(NewFingerprint(o.Program, o.Test)); s.open(f, false) != nil {
		t.Fatal("the streams cannot be opened")
	}
	first := must(s.jobs.GetMsg(ctx, 1))
	id := idOf(first.Subject)
	result := func(x *seal, id string) []byte {
		return sealed(t, x, resultKind, id, []byte(`{"Result":{"ID":"`+id+`","Ran":1}}`))
	}
	other := ours
	for _, x := range []struct {
		what []byte
		want string
	}{
		{[]byte("forged"), "it is not a message of por-cluster"},
		{result(newSeal(other, s.secret), id), "it is of another program, or one with other options"},
		{result(newSeal(ofMetadata(s.jobs.CachedInfo().Config.Metadata), nil), id), "it is signed with another secret"},
		{result(s.seal, someID), "it is damaged, or signed for another job"},
		{sealed(t, s.seal, resultKind, id, []byte(`{"Result":{"ID":"`+someID+`"}}`)), "it is of another job"},
	} {
		if _, err := s.js.Publish(ctx, o.result(id), x.what); err != nil {
			t.Error(err)
		}
		out.await(t, "por-cluster: refused a result of job "+id+": "+x.want+"\n")
		awaitGone(t, s, o.result(id))
	}
	if _, err := s.js.Publish(ctx, o.result("x"), result(s.seal, "x")); err != nil {
		t.Error(err)
	}
	out.await(t, "por-cluster: refused a result of job x: it is of no job\n")
	if _, err := s.js.Publish(ctx, o.result(someID), result(s.seal, someID)); err != nil { // with the secret, but not asked for
		t.Error(err)
	}
	if _, err := s.js.Publish(ctx, o.job(someID), first.Data); err != nil { // the job of another ID
		t.Error(err)
	}
	s.nc.Publish(o.alive(), []byte("forged 99999999999"))
	worked := new(text)
	w := o
	w.Out = worked
	workers(t, 2, w)
	if err := <-served; err != nil {
		t.Error(err)
	}
	wantText(t, out.String(), all5040, "1 results were not asked for, and not used")
	wantText(t, worked.String(), "por-cluster: refused job "+someID+": it is damaged, or signed for another job\n")
}

// awaitGone waits until a subject has no message any more.
func awaitGone(t *testing.T, s *search, subject string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		ctx, cancel := call()
		_, err := s.results.GetLastMsgForSubject(ctx, subject)
		cancel()
		if err != nil {
			return
		}
	}
	t.Errorf("%s has a message still", subject)
}

// TestOtherSecret has a search refuse workers with another secret or none, and a Serve, too.
func TestOtherSecret(t *testing.T) {
	server, _ := here(t)
	o := options(server.ClientURL(), "none")
	o.Access.Secret = file(t, "the secret of this search")
	o.Out, o.Output = new(text), new(text)
	for _, name := range []string{"", file(t, "another secret, as long")} {
		other := o
		other.Access.Secret = name
		stop := make(chan struct{})
		go func() {
			defer close(stop)
			if err := Work(t.Context(), other); err == nil || err.Error() != "search TestShared_none: its jobs are signed with another secret than that of -secret here" {
				t.Error(err)
			}
		}()
		if _, err := Serve(t.Context(), o, stop); err != nil {
			t.Error(err)
		}
		if _, err := Serve(t.Context(), other, stop); err == nil || !strings.Contains(err.Error(), "another secret than that of -secret here. Remove what is kept") {
			t.Error(err)
		}
	}
	workers(t, 1, o)
	wantText(t, serve(t, o), all5040)
}

// TestConclude has a worker keep its job until its own result is in the stream, where something else is.
func TestConclude(t *testing.T) {
	server, _ := here(t)
	o := options(server.ClientURL(), "none")
	s, err := connect(&o, "work")
	if err != nil {
		t.Fatal(err)
	}
	defer s.nc.Close()
	if err := s.open(must(NewFingerprint(o.Program, o.Test)), true); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	jobs := must(s.jobs.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: workersName, AckPolicy: jetstream.AckExplicitPolicy}))
	must(s.js.Publish(ctx, o.job(someID), []byte("a job")))
	msg := must(jobs.Next())
	forged := must(s.js.Publish(ctx, o.result(someID), []byte("forged")))
	done := make(chan error)
	go func() {
		w := &worker{team: &team{search: s}}
		done <- w.conclude(ctx, &share.Result{ID: someID, Ran: 7}, msg)
	}()
	select {
	case err := <-done:
		t.Fatalf("the job is done, and its result is not there: %v", err)
	case <-time.After(time.Second):
	}
	if err := s.results.DeleteMsg(ctx, forged.Sequence); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if body, err := s.resultOf(someID); err != nil || !strings.Contains(string(body), `"Ran":7`) {
		t.Errorf("%s, %v", body, err)
	}
}

// TestHide has errors lose what URLs have as secrets, as it is written there and as it is meant.
func TestHide(t *testing.T) {
	p := must(newPlace("nats://me:hunter2%21@127.0.0.1:1, tls://atoken@127.0.0.1:2"))
	err := p.hide(errors.New("dial nats://me:hunter2%21@127.0.0.1:1: hunter2! is wrong, and so is atoken"))
	if text := err.Error(); text != "dial nats://...@127.0.0.1:1: ... is wrong, and so is ..." || p.text != "nats://127.0.0.1:1,tls://127.0.0.1:2" {
		t.Errorf("%s; %s", text, p.text)
	}
	plain := errors.New("refused")
	if p.hide(plain) != plain {
		t.Error("an error without secrets is another one")
	}
}
