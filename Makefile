# Each target does all its own set-up. Needed: Python >= 3.11 with venv and pip, Rust, make.

PYTHON ?= python3
BIN := .venv/bin
RUST_FILES := $(shell find rust -path rust/fuzz -prune -o \( -name '*.rs' -o -name Cargo.toml \) -print) Cargo.toml Cargo.lock
EXTENSION := .venv/.extension

export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

.PHONY: demo test bench lint docs wheel fuzz sanitize clean

demo: $(EXTENSION)
	$(BIN)/sid demo

test: lint
	cargo test --workspace --locked
	cargo test --manifest-path rust/fuzz/Cargo.toml --no-default-features --locked
	SID_PURE_PYTHON=0 $(BIN)/python -m pytest -q tests --ignore=tests/oracle
	SID_PURE_PYTHON=1 $(BIN)/python -m pytest -q tests --ignore=tests/oracle
	SID_PURE_PYTHON=0 $(BIN)/python -m pytest -q --doctest-modules --doctest-glob='*.md' python/sid README.md
	SID_PURE_PYTHON=1 $(BIN)/python -m pytest -q --doctest-modules python/sid
	.ci/oracle

lint: $(EXTENSION)
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo fmt --manifest-path rust/fuzz/Cargo.toml --check
	cargo clippy --manifest-path rust/fuzz/Cargo.toml --no-default-features --all-targets --locked -- -D warnings
	cargo run --quiet --locked --package sid-tablegen -- --check
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: $(EXTENSION)
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --document-private-items
	$(BIN)/python -W error -m pdoc --docformat numpy --output-directory target/doc/python sid \
		$(addprefix sid.,analysis analysis_cache batch document_cache document_rendering id_stream ranges seen_ledger tools episode) \
		$(addprefix sid.governed.,store asking principal versions tickets locators results days eligibility tool review audit errors) \
		$(addprefix sid.backends.,protocol corpus router filters sources sqlite sqlite_vectors embedder fused qdrant errors)

wheel: $(EXTENSION)
	.ci/wheel

bench: $(EXTENSION)
	.ci/bench

# One or some of them: make fuzz FUZZ_TARGETS=snippet FUZZ_SECONDS=1800
fuzz:
	.ci/fuzz $(FUZZ_TARGETS)

sanitize:
	.ci/sanitize

clean:
	rm -rf .venv .venv-oracle .venv-bench .oracle build dist target rust/fuzz/target .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find python -name '*.so' -o -name '*.pyd' | xargs rm -f

.venv/.tools: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "sid-native needs Python 3.11 or newer; name one with: make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --group dev
	touch $@

$(EXTENSION): .venv/.tools $(RUST_FILES)
	$(BIN)/maturin develop --quiet --release >/dev/null
	touch $@
