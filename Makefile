# SPDX-License-Identifier: MIT
# Words for what people do here. Each sees to its packages first (tools/packages); the build itself
# is CMake's, with the presets of CMakePresets.json.
#
#   make demo     two real comparisons in under two minutes
#   make test     builds everything and runs the tests
#   make build    builds the kerntoll command and its agents
#   make bench    what Kerntoll must reach, measured beside its rivals
#   make check    formatting, static checks, sanitizers and fuzzing (.ci/run does them all)
#   make kernels  sees to the packages that kerntoll try needs to build Linux
#   make install  puts kerntoll under PREFIX (default /usr/local)
#
# YES=1 installs missing packages without asking.

.PHONY: build demo test bench check format tidy sanitize fuzz kernels install clean
.DEFAULT_GOAL := build

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
export YES

# $(call configure,PRESET,OPTIONS): CMake's talk is shown only where it fails.
configure = @mkdir -p build && { cmake --preset $(1) $(2) >build/configure-$(1).log 2>&1 \
	|| { cat build/configure-$(1).log >&2; exit 2; }; }
# The command alone needs no test libraries; a tree that has the tests already keeps them.
without_tests = $(if $(wildcard build/release/CMakeCache.txt),,-DKERNTOLL_TESTS=OFF)

build:
	@tools/setup build
	$(call configure,release,$(without_tests))
	@cmake --build --preset release -j $(JOBS) --target kerntoll agents

demo:
	@tools/setup demo
	@tools/fetch-kernel >/dev/null
	$(call configure,release,$(without_tests))
	@cmake --build --preset release -j $(JOBS) --target kerntoll agents
	@tools/demo

test:
	@tools/setup test
	@tools/fetch-kernel >/dev/null || echo "Going on without it: the tests on Debian's kernel are skipped."
	$(call configure,release,-DKERNTOLL_TESTS=ON -DKERNTOLL_BENCH=ON)
	@cmake --build --preset release -j $(JOBS)
	@tools/run-tests release $(JOBS)

bench:
	@tools/setup bench
	@tools/fetch-kernel >/dev/null || echo "Going on without it: nothing is measured of guests."
	$(call configure,bench)
	@cmake --build --preset bench -j $(JOBS)
	@tools/bench

check: format tidy sanitize fuzz

format:
	@tools/setup check
	@tools/check-format

tidy:
	@tools/setup check
	$(call configure,release,-DKERNTOLL_TESTS=ON)
	@tools/check-tidy $(JOBS)

sanitize:
	@tools/setup test check
	$(call configure,asan)
	@cmake --build --preset asan -j $(JOBS)
	@tools/run-tests asan $(JOBS)

fuzz:
	@tools/setup check
	$(call configure,asan)
	@cmake --build --preset asan -j $(JOBS) --target fuzz/all
	@tools/run-fuzzers

kernels:
	@tools/setup kernels

install: build
	@cmake --install build/release --prefix $(PREFIX) >build/install.log || { cat build/install.log >&2; exit 2; }
	@echo "Installed $(PREFIX)/bin/kerntoll."

clean:
	rm -rf build
