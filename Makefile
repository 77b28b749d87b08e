# What a newcomer needs is `make run` and `make test`; README.md tells the rest.

# Settings reach the program by the environment, whichever way they are set:
# PORT=8081 make run, or make run PORT=8081.
export PORT LISTS DATA ACCEPT TABLE URL KEY

# The race detector needs cgo. Without a C compiler the tests run without it, and
# say so.
RACE := $(shell test "$$(go env CGO_ENABLED)" = 1 && command -v "$$(go env CC)" >/dev/null && echo -race)

.PHONY: run refresh fidelity admin test lint fuzz build e2e bench coldstart cost smoke clean .FORCE

run: .build/local
	@.build/local serve

refresh: .build/local
	@.build/local refresh

# What lists hold, and what publishing them would change: make fidelity LISTS=folder
fidelity: .build/local
	@.build/local fidelity

admin: .build/local
	@.build/local admin $(ARGS)

.PHONY: .build/local
.build/local:
	@go build -o $@ ./infra/local

# Tests, with every skipped one named at the end. Those of full-size lists run without
# the race detector: small lists take the same paths in a seventh of the time.
FULL := -run '^TestFull' $(shell grep -rlE '^func TestFull' --include='*_test.go' pkg infra | xargs -n 1 dirname | sort -u | sed 's|^|./|')
test: .build/gotestsum
	@.build/gotestsum --format pkgname --jsonfile .build/test.json -- $(RACE) -skip '^TestFull' ./...
	@.build/gotestsum --format pkgname --jsonfile .build/test-full.json -- $(FULL)
	@test -n "$(RACE)" || echo "SKIPPED: the race detector (no C compiler)"

lint: .build/staticcheck
	@test -z "$$(gofmt -l .)" || { echo "not gofmt-ed:"; gofmt -l .; exit 1; }
	@go vet ./...
	@.build/staticcheck ./...
	@if command -v cfn-lint >/dev/null; then cfn-lint template.yaml infra/monitoring/monitoring.yaml; else echo "SKIPPED: cfn-lint (not on this machine)"; fi

# Each fuzz target for a few seconds. FUZZTIME=10m for a longer run.
FUZZTIME ?= 5s
fuzz:
	@targets=$$(grep -rlE '^func Fuzz' --include='*_test.go' pkg infra); test -n "$$targets"; \
	for file in $$targets; do for name in $$(sed -nE 's/^func (Fuzz[A-Za-z]+).*/\1/p' $$file); do \
		echo "$$name in $$(dirname $$file)"; \
		go test ./$$(dirname $$file) -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x || exit 1; \
	done; done

.build/gotestsum .build/staticcheck: infra/tools/go.mod
	@cd infra/tools && go build -o ../../$@ $$(go list -f '{{.ImportPath}}' tool | grep '/$(@F)$$')

# The functions as Lambda takes them: dist/<function>/bootstrap for `sam deploy`,
# and dist/<function>.zip. Equal sources give equal files.
FUNCTIONS := $(notdir $(wildcard functions/*))
build: $(FUNCTIONS:%=dist/%/bootstrap)
	@go run ./infra/pack dist

dist/%/bootstrap: .FORCE
	@CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -tags lambda.norpc -trimpath -buildvcs=false -ldflags '-s -w' -o $@ ./functions/$*

# The contract's tests against the real bootstraps on real engines.
e2e:
	@CI=true go test -count=1 -v -run 'TestDeployed' ./infra/e2e # CI: without engines it fails

# Speed and size on full lists, one line of name, value and unit each: make bench LISTS=folder
bench:
	@test -n "$(LISTS)" || { echo "usage: make bench LISTS=folder of full lists"; exit 1; }
	@go run ./infra/bench "$(LISTS)"

# Cold starts with full lists: make coldstart LISTS=folder
coldstart:
	@test -n "$(LISTS)" || { echo "usage: make coldstart LISTS=folder of full lists"; exit 1; }
	@$(MAKE) --no-print-directory build
	@go run ./infra/coldstart "$(LISTS)" dist/screen.zip

# What screening costs; with LISTS=folder of full lists it measures anew before.
cost:
	@$(if $(LISTS),mkdir -p .build && go run ./infra/cost measure "$(LISTS)" > .build/measured.json && mv .build/measured.json infra/cost/measured.json)
	@go run ./infra/cost

# After a deployment: make smoke URL=https://... KEY=lw_...
smoke:
	@go run ./infra/smoke

clean:
	rm -rf .build dist

.FORCE:
