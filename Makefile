# One word a task; `cargo x` (xtask/) does the work. Needs Rust, a C compiler and Python 3.10+.

X = @cargo run --quiet --package xtask --

help: # what there is
	@echo "make demo    install into .venv, build, run an MPI program on a simulated Aurora"
	@echo "make test    everything that can fail"
	@echo "make lint    formatting, clippy, the floor law, tidiness"
	@echo "make conformance   other people's test suites, and random programs beside MPICH"
	@echo "make storm   10,000 random machines, traffic and faults, every assert on: half an hour or more"
	@echo "make fuzz    100,000 damaged inputs in process, 2,000 through the command: half an hour"
	@echo "make sweeps  sweeps of 200 points, killed again and again: a minute or two"
	@echo "make bench   the yardsticks: events a second, bytes an endpoint, calls a second"
	@echo "make docs    Rust's reference pages, into target/doc"
	@echo "make wheel   a Python wheel, into dist/"
	@echo "make clean   remove everything made, .venv too"

demo test conformance storm fuzz sweeps lint bench docs wheel:
	$(X) $@

clean:
	@cargo clean --quiet
	@rm -rf .venv dist out python/odonata/_lib python/odonata/_include python/odonata/*.so

.PHONY: help demo test conformance storm fuzz sweeps lint bench docs wheel clean
