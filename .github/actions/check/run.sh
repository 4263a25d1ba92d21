#!/usr/bin/env bash
# The steps of action.yml beside it: bash run.sh releases, and then bash run.sh check.
# They take GITHUB_ACTION_PATH, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY and RUNNER_TEMP from the runner,
# and INPUT_PACKAGES and INPUT_FLAGS from the inputs.
set -euo pipefail
home=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
por=$RUNNER_TEMP/por-bin/por
export POR_CACHE=${POR_CACHE:-$RUNNER_TEMP/por-cache}

# releases builds the command, and says where caches are, and what they depend on.
releases() {
	mkdir -p "$(dirname "$por")" "$POR_CACHE"
	(cd "$home" && GOFLAGS='' GOWORK=off go build -o "$por" ./cmd/por)
	{
		echo "gocache=$(go env GOCACHE)"
		echo "modcache=$(go env GOMODCACHE)"
		echo "porcache=$POR_CACHE"
		# The toolchain, this version of por, and the modules.
		echo "key=$({ go env GOVERSION; cat "$home/go.sum"; cd "$home" && git rev-parse HEAD 2>/dev/null || true; cat "$OLDPWD/go.sum" 2>/dev/null || true; } | cksum | tr ' ' -)"
	} >>"$GITHUB_OUTPUT"
}

# check explores the packages. Failures are annotations, and pages to be kept; the last lines are
# the summary of the job, and what was not explored is a warning.
check() {
	local failures=$RUNNER_TEMP/por-failures lines=$RUNNER_TEMP/por-lines status=0
	mkdir -p "$failures"
	echo "failures=$failures" >>"$GITHUB_OUTPUT"
	# shellcheck disable=SC2086 # both are lists of words
	"$por" check -por.html="$failures/" -por.json="$failures/" $INPUT_FLAGS $INPUT_PACKAGES 2> >(tee "$lines" >&2) || status=$?
	wait
	"$por" sarif "$failures" >"$failures/por.sarif"
	{
		echo "status=$status"
		echo "sarif=$failures/por.sarif"
	} >>"$GITHUB_OUTPUT"
	{
		echo '### por check'
		echo
		echo '```'
		cat "$lines"
		echo '```'
	} >>"$GITHUB_STEP_SUMMARY"
	sed -nE 's/^  (not explored|stopped by a limit): (.*)/::warning title=\1::\2/p' "$lines"
	# Tests that were not explored are no failure of the job, as they are none of go test.
	if [ "$status" != 3 ]; then return "$status"; fi
}

"$1"
