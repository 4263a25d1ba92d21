package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// Access is what a NATS server asks for, and the secret of a search. Nothing in it is printed: its
// text is empty, and neither messages nor errors have any of it. Fields that are empty are not
// used.
type Access struct {
	CA   string // file with the certificates that have signed the server's
	Cert string // file with the certificate of this client
	Key  string // file with its private key

	// At most one of the following says which user the client is.
	Creds          string // file with NATS credentials, a JWT and a seed
	Nkey           string // file with the seed of an nkey
	Seed           string // seed of an nkey
	User, Password string // without a password, User is a token

	// Secret is a file with the secret that signs jobs and results. All that share a search have
	// the same one. Without it, every user that may write to the streams can falsify results.
	Secret string
}

// String hides the fields.
func (Access) String() string { return "" }

// GoString hides the fields.
func (Access) GoString() string { return "cluster.Access{}" }

// variables are the environment variables of the fields. Those that are not of this program are
// also those of the command nats.
func (a *Access) variables() map[string]*string {
	return map[string]*string{"NATS_CA": &a.CA, "NATS_CERT": &a.Cert, "NATS_KEY": &a.Key, "NATS_CREDS": &a.Creds, "NATS_NKEY": &a.Nkey,
		"NATS_NKEY_SEED": &a.Seed, "NATS_USER": &a.User, "NATS_PASSWORD": &a.Password, "GOPOR_CLUSTER_SECRET": &a.Secret}
}

// FromEnvironment sets the fields that are empty to the values of environment variables, and
// removes these, so that the test program does not inherit them. If a field of an identity is set,
// the variables of other identities are not used.
func (a *Access) FromEnvironment() {
	given := a.Creds != "" || a.Nkey != ""
	for name, field := range a.variables() {
		value := os.Getenv(name)
		os.Unsetenv(name)
		if *field != "" || given && (field == &a.Creds || field == &a.Nkey || field == &a.Seed || field == &a.User || field == &a.Password) {
			continue
		}
		*field = value
	}
}

// options returns the options of a connection. Errors name files, and have nothing of what is in
// them.
func (a *Access) options() ([]nats.Option, error) {
	var list []nats.Option
	if a.CA != "" {
		list = append(list, nats.RootCAs(a.CA))
	}
	switch {
	case a.Cert != "" && a.Key != "":
		list = append(list, nats.ClientCert(a.Cert, a.Key))
	case a.Cert != "" || a.Key != "":
		return nil, errors.New("a client certificate takes two files: that of the certificate, and that of its key")
	}
	identities := 0
	for _, x := range []string{a.Creds, a.Nkey, a.Seed, a.User} {
		if x != "" {
			identities++
		}
	}
	if identities > 1 {
		return nil, errors.New("more than one of credentials, nkey and user is given")
	}
	switch {
	case a.Creds != "":
		text, err := os.ReadFile(a.Creds)
		if err != nil {
			return nil, fmt.Errorf("credentials: %w", err)
		}
		if _, err := nkeys.ParseDecoratedJWT(text); err != nil {
			return nil, fmt.Errorf("there are no credentials in %s", a.Creds)
		}
		if _, err := nkeys.ParseDecoratedUserNKey(text); err != nil {
			return nil, fmt.Errorf("there is no seed of a user in %s", a.Creds)
		}
		list = append(list, nats.UserCredentialBytes(text))
	case a.Nkey != "" || a.Seed != "":
		text, where := []byte(a.Seed), "the environment"
		if a.Nkey != "" {
			var err error
			if text, err = os.ReadFile(a.Nkey); err != nil {
				return nil, fmt.Errorf("nkey: %w", err)
			}
			where = a.Nkey
		}
		pair, err := nkeys.ParseDecoratedNKey(text)
		if err != nil {
			return nil, fmt.Errorf("there is no seed of an nkey in %s", where)
		}
		public, err := pair.PublicKey()
		if err != nil || !nkeys.IsValidPublicUserKey(public) {
			return nil, fmt.Errorf("the nkey in %s is not that of a user", where)
		}
		list = append(list, nats.Nkey(public, pair.Sign))
	case a.Password != "" && a.User == "":
		return nil, errors.New("a password is given, and no user")
	case a.Password != "":
		list = append(list, nats.UserInfo(a.User, a.Password))
	case a.User != "":
		list = append(list, nats.Token(a.User))
	}
	return list, nil
}

// leastSecret is how many bytes a secret has at least.
const leastSecret = 16

// secret returns the secret in the file, nil if there is no file.
func (a *Access) secret() ([]byte, error) {
	if a.Secret == "" {
		return nil, nil
	}
	text, err := os.ReadFile(a.Secret)
	if err != nil {
		return nil, fmt.Errorf("secret: %w", err)
	}
	if text = bytes.TrimSpace(text); len(text) < leastSecret {
		return nil, fmt.Errorf("the secret in %s is short: it takes %d bytes at least", a.Secret, leastSecret)
	}
	return text, nil
}

// A place is the URLs of one or more servers, and what is not to be printed of them.
type place struct {
	text     string   // the URLs without users and passwords
	secrets  []string // users, passwords and tokens, as they are and as they are written
	password bool     // there is a password or token
}

// newPlace takes URLs apart, which have commas between them.
func newPlace(urls string) (*place, error) {
	p := new(place)
	var texts []string
	for _, text := range strings.Split(urls, ",") {
		text = strings.TrimSpace(text)
		if !strings.Contains(text, "://") {
			text = "nats://" + text // as package nats does
		}
		u, err := url.Parse(text)
		if err != nil || u.Host == "" { // the error has the URL in it
			return nil, errors.New("the URL of the NATS server is damaged; one such as nats://localhost:4222 is needed")
		}
		if u.User != nil {
			p.password = true
			password, _ := u.User.Password()
			written, _, _ := strings.Cut(text[strings.Index(text, "://")+3:], "@")
			p.secrets = append(p.secrets, u.User.String(), written, password)
			if password == "" {
				p.secrets = append(p.secrets, u.User.Username()) // a token
			}
			u.User = nil
		}
		texts = append(texts, u.String())
	}
	p.text = strings.Join(texts, ",")
	return p, nil
}

// hide returns an error without the secrets of URLs.
func (p *place) hide(err error) error {
	text := err.Error()
	for _, s := range p.secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "...")
		}
	}
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}
