# What a developer runs. `make` says what there is; bash .ci/run is what has to pass before a change lands.

GO       ?= go
TOOL     := $(GO) tool -modfile=internal/tools/go.mod
COUNT    ?= 6
FUZZTIME ?= 1m
BENCH    ?= .
CHROMIUM ?= chromium
BASELINE := docs/bench/baseline
BENCHES  := sched examples_native
BENCHTEST = $(GO) test -run '^$$' -bench '$(BENCH)' -benchtime 100ms -benchmem -count $(COUNT) -timeout 30m

.PHONY: help quick ci lint docs site picture golden bench baseline fuzz api release

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 10

quick: ## gofmt, vet, and the tests of por and sched: under a minute if little has changed
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "gofmt would change: $$unformatted"; exit 1; }
	$(GO) vet ./por ./sched ./sched/exec
	$(GO) test -short -vet=off ./por ./sched ./sched/exec

ci: ## everything that has to hold, in a quarter of an hour or more
	bash .ci/run

lint: ## staticcheck, as staticcheck.conf says
	$(TOOL) staticcheck ./...

docs: ## the pages: their links, paths, names and flags, and what their commands print
	$(GO) test ./internal/test/documents
	GOPOR_FULL=1 $(GO) test -run '^TestPages$$' -timeout 30m ./cmd/por

site: ## the pages as a site, in docs/.vitepress/dist: needs Node.js with npm, which fetches VitePress
	npm --prefix docs/.vitepress ci --no-audit --no-fund
	npm --prefix docs/.vitepress run build

picture: ## docs/report.png, the page of a failure of docs/example: needs Chromium
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; $(GO) build -o "$$dir/por" ./cmd/por; \
		(cd docs/example && POR_SAVE=off "$$dir/por" check -por.html="$$dir/page.html" -run TestTransfer ./bank >"$$dir/out" 2>&1); \
		test -e "$$dir/page.html" || { cat "$$dir/out"; exit 1; }; \
		$(CHROMIUM) --headless --no-sandbox --hide-scrollbars --window-size=1100,548 --screenshot=docs/report.png "file://$$dir/page.html"

golden: ## rewrites all that tests compare with: look at the difference
	$(GO) test ./por -run '^TestGoldenReports$$' -update
	$(GO) test ./por/history -run '^TestGoldenHistories$$' -update
	$(GO) test ./instrument -run '^(TestGolden|TestSyntaxGolden)$$' -update
	$(GO) test ./por/report -run '^TestJSONFields$$' -update
	$(GO) test ./internal/test/documents -run '^TestPicture$$' -update
	$(GO) test ./unfold/picture -run '^TestDOT$$' -update
	$(GO) test ./sched/std/api -run '^TestGenerated$$' -update
	$(GO) test ./examples/datastructures -run '^TestControlled$$' -update
	GOPOR_FULL=1 $(GO) test ./internal/test/goroot/goker -run '^(TestKernels|TestModules)$$' -timeout 1h -update
	$(GO) test ./internal/test/goroot/suites -run '^TestReadme$$' -update
	$(GO) test ./internal/test/goroot/race -timeout 1h -update
	$(GO) test ./cmd/por -run '^TestPages$$' -timeout 30m -update

bench: ## runs the benchmarks of docs/bench/baseline, and compares with that by benchstat
	@new=$$(mktemp -d); trap 'rm -rf "$$new"' EXIT; for name in $(BENCHES); do \
		$(BENCHTEST) ./$$(echo $$name | tr _ /) | tee "$$new/$$name.txt" && \
		$(TOOL) benchstat old=$(BASELINE)/$$name.txt new="$$new/$$name.txt" || exit 1; \
	done

baseline: ## keeps the results of the benchmarks: on a machine that does nothing else
	@for name in $(BENCHES); do $(BENCHTEST) ./$$(echo $$name | tr _ /) | tee $(BASELINE)/$$name.txt || exit 1; done

fuzz: ## every fuzz target for FUZZTIME
	@grep -rlE '^func Fuzz\w+\(f \*testing.F\)' --include='*_test.go' --exclude-dir=testdata . | while read -r file; do \
		for target in $$(sed -nE 's/^func (Fuzz\w+)\(f \*testing.F\).*/\1/p' $$file); do \
			echo "== $$target in $$(dirname $$file)"; \
			(cd $$(dirname $$file) && $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) .) || exit 1; \
		done; \
	done

api: ## what has changed in the API since the last tag
	bash .ci/api

release: ## tries a release from an empty module cache, without publishing it: VERSION=v0.9.0 checks all that it needs
	bash .ci/release $(VERSION)
