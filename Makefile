# One target per task, performed by `cargo x` (xtask/). Requires Rust, a C compiler, Python 3.10+.

X = @cargo run --quiet --package xtask --

help: # list the targets
	@echo "make demo    build, install into .venv, run an MPI program on a simulated Aurora"
	@echo "make test    all checks and tests"
	@echo "make lint    formatting, clippy, layers, style, prose, stale figures"
	@echo "make conformance   third-party test suites, random programs compared with MPICH"
	@echo "make storm   10,000 random machines, traffic and faults with all asserts: 30 min or more"
	@echo "make fuzz    100,000 damaged inputs in process, 2,000 by the command: 30 min"
	@echo "make sweeps  sweeps of 200 points, killed repeatedly: 1-2 min"
	@echo "make bench   benchmarks: events per second, bytes per endpoint, calls per second"
	@echo "make docs    Rust's reference pages, into target/doc"
	@echo "make site    the documentation site, into target/site; needs a package registry once"
	@echo "make figures draw the stale figures, and continue if interrupted; see docs/gallery.md"
	@echo "make wheel   a Python wheel, into dist/"
	@echo "make clean   remove all build products and .venv"

demo test conformance storm fuzz sweeps lint bench docs site figures wheel:
	$(X) $@

clean:
	@cargo clean --quiet
	@rm -rf .venv dist out python/odonata/_lib python/odonata/_include python/odonata/*.so

.PHONY: help demo test conformance storm fuzz sweeps lint bench docs site figures wheel clean
