// Command por-cluster explores one test on many machines.
//
//	por-cluster serve  runs a test, and has it explored by workers
//	por-cluster work   explores for a test that is served
//	por-cluster clear  removes what is kept of a search
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/gopor/gopor/por/cluster"
)

const usage = `usage: por-cluster serve [flags] -run TestName URL PROGRAM [ARGUMENTS]
       por-cluster work  [flags] -run TestName URL PROGRAM [ARGUMENTS]
       por-cluster clear -name NAME URL

Explores one test on many machines, which meet at the NATS server at URL, such as
nats://localhost:4222. It needs JetStream: nats-server -js. PROGRAM is the test
program, built once by

    por test -c -o PROGRAM PACKAGE            for a test that calls por.Check
    por check -c -o PROGRAM PACKAGE           for any other

and copied to all of them. serve runs the test, prints what it prints, and exits as
it does; work explores until the search is over. If a worker or serve is killed, start
it again by the same command: nothing is lost or counted twice.

A variable of the environment stands for a flag that has its name in brackets. An nkey's
seed itself can be in NATS_NKEY_SEED, a user and password in NATS_USER and
NATS_PASSWORD: not in the URL, which other users of the machine can see. The test
program does not get these variables.

flags:
`

func main() {
	os.Exit(run(os.Args[1:]))
}

// run returns the exit status: of serve that of the test program, 1 for a failure, 2 for a command
// line that makes no sense, 130 after Ctrl-C.
func run(args []string) int {
	var o cluster.Options
	fs := flag.NewFlagSet("por-cluster", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.Test, "run", "", "the `test` to explore, with #2 at its end for its second Check")
	fs.StringVar(&o.Name, "name", "", "the `name` of the search at the server (that of the test)")
	fs.DurationVar(&o.Limit, "time", 0, "serve: stop after this `time` (never)")
	fs.DurationVar(&o.Slice, "slice", 0, "serve: how `long` a worker explores a job, when there are enough (1s)")
	fs.DurationVar(&o.Patience, "patience", 0, "serve: after what `time` without a word a worker is taken for dead (30s)")
	fs.IntVar(&o.Replicas, "replicas", 1, "serve: how `many` servers of a NATS cluster keep the streams")
	fs.BoolVar(&o.Memory, "memory", false, "serve: keep the streams in the memory of the server, not on its disk")
	fs.IntVar(&o.Processes, "processes", 0, "work: the `number` of worker processes (one a core)")
	fs.StringVar(&o.Access.CA, "ca", "", "`file` with the certificates that have signed the server's (NATS_CA)")
	fs.StringVar(&o.Access.Cert, "cert", "", "`file` with a certificate of this client (NATS_CERT)")
	fs.StringVar(&o.Access.Key, "key", "", "`file` with the private key of that certificate (NATS_KEY)")
	fs.StringVar(&o.Access.Creds, "creds", "", "`file` with NATS credentials (NATS_CREDS)")
	fs.StringVar(&o.Access.Nkey, "nkey", "", "`file` with the seed of an nkey (NATS_NKEY)")
	fs.StringVar(&o.Access.Secret, "secret", "", "`file` with what signs jobs and results, the same everywhere (GOPOR_CLUSTER_SECRET)")
	fs.DurationVar(&o.Idle, "idle", 0, "work: end after this `time` without anything to explore, once the search was found (never)")
	wrong := func(format string, a ...any) int {
		fmt.Fprintf(os.Stderr, "por-cluster: "+format+"\n(por-cluster help says more)\n", a...)
		return 2
	}
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
		fs.SetOutput(os.Stdout)
		fmt.Print(usage)
		fs.PrintDefaults()
		return 0
	}
	command := args[0]
	if err := fs.Parse(args[1:]); err != nil {
		return wrong("%s: %v", command, err)
	}
	rest := fs.Args()
	if len(rest) > 0 {
		o.URL = rest[0]
	}
	if len(rest) > 1 {
		o.Program, o.Args = rest[1], rest[2:]
	}
	switch {
	case command != "serve" && command != "work" && command != "clear":
		return wrong("unknown command %q; there are serve, work and clear", command)
	case o.URL == "" || strings.HasPrefix(o.URL, "-"):
		return wrong("%s: the URL of a NATS server is missing, such as nats://localhost:4222", command)
	case command != "clear" && o.Program == "":
		return wrong("%s: the test program is missing; por test -c -o PROGRAM builds it", command)
	case command != "clear" && o.Test == "":
		return wrong("%s: -run is missing, which says which test to explore", command)
	case command == "clear" && o.Name == "" && o.Test == "":
		return wrong("clear: -name is missing, which says of which search")
	case o.Processes < 0 || o.Replicas < 1 || o.Limit < 0 || o.Slice < 0 || o.Patience < 0 || o.Idle < 0:
		return wrong("%s: a number is too small", command)
	}
	o.Access.FromEnvironment()
	o.Out, o.Output = os.Stderr, os.Stdout
	return do(command, o)
}

func do(command string, o cluster.Options) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop, interrupts := make(chan struct{}), make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt)
	go func() {
		<-interrupts
		if command != "serve" {
			cancel()
		}
		close(stop)
		<-interrupts
		cancel()
	}()
	status, err := 0, error(nil)
	switch command {
	case "serve":
		status, err = cluster.Serve(ctx, o, stop)
	case "work":
		err = cluster.Work(ctx, o)
	case "clear":
		err = cluster.Clear(o)
	}
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		fmt.Fprintf(os.Stderr, "por-cluster: %v\n", err)
		return 1
	case ctx.Err() != nil:
		return 130
	case status < 0: // a signal has ended it
		return 1
	}
	return status
}
