# SPDX-License-Identifier: Apache-2.0
# Thin over CMake presets: see CMakePresets.json.
.PHONY: run build install uninstall deb deb-check test bench format lint tsan fuzz fuzz-canaries crash-campaign clean setup

JOBS ?= $(shell nproc)

programs := faultline faultline-check faultline-bench

run: programs := faultline
run: build  ## run the shipped study and write report.html
	build/bin/faultline study studies/ruft-family.toml --results build/ruft-family.db
	build/bin/faultline report build/ruft-family.db -o report.html

build: setup  ## programs in build/bin
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target $(programs)

PREFIX ?= /usr/local
install: build  ## programs, library, headers and CMake package under PREFIX
	cmake --build --preset release -j $(JOBS) --target faultline_static faultline_shared faultline_documents
	cmake --install build --prefix "$(PREFIX)"
	cp build/install_manifest.txt build/installed.txt

uninstall:  ## remove what the last `make install` put there
	cmake -DMANIFEST=build/installed.txt -P cmake/Uninstall.cmake

deb: build  ## Debian packages in build/deb: faultline, libfaultlineN, libfaultline-dev
	cmake --build --preset release -j $(JOBS) --target faultline_static faultline_shared faultline_documents
	rm -rf build/deb
	cd build && cpack -G DEB -B deb

deb-check: deb  ## installs them on a fresh Debian 12, and builds and runs the examples there
	scripts/deb_check.sh

# UNITY_BATCH=16: that many files compiled as one, instead of the presets' number.
unity_batch = $(if $(UNITY_BATCH),-DCMAKE_UNITY_BUILD_BATCH_SIZE=$(UNITY_BATCH))
test:  ## every test: optimised (GCC), then the quick ones again under address and undefined-behaviour sanitizers (clang)
	scripts/setup.sh tests
	cmake --preset release -DFAULTLINE_WERROR=ON $(unity_batch)
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(JOBS) --output-junit ctest.xml
	scripts/check_skips.py tests/allowed_skips.txt build/ctest.xml
	cmake --preset dev $(unity_batch) "-DFAULTLINE_NODE_MODULES=$(CURDIR)/build/web/node_modules"
	cmake --build --preset dev -j $(JOBS)
	rm -rf build-dev/results
	ctest --preset dev -j $(JOBS)
	scripts/check_skips.py tests/allowed_skips.txt build-dev/results/*.xml build/ctest.xml

bench: build  ## figures of every engine, as JSON
	build/bin/faultline-bench > build/bench.json.partial
	mv build/bench.json.partial build/bench.json
	@echo "figures in build/bench.json"

tsan: setup  ## the threaded tests under the thread sanitizer
	cmake --preset tsan
	cmake --build --preset tsan -j $(JOBS)
	ctest --preset tsan -j $(JOBS) -L threads

MINUTES ?= 10
fuzz:  ## MINUTES=10 of coverage-guided fuzzing, shared by all targets; findings in build-fuzz/found
	scripts/fuzz.sh build $(JOBS)
	scripts/fuzz.sh run $(MINUTES) $(JOBS)

fuzz-canaries:  ## does the fuzzing find the defects that are planted for it?
	scripts/fuzz.sh build $(JOBS)
	scripts/fuzz.sh canaries $(JOBS)

KILLS ?= 500
PAIRS ?= 200
crash-campaign: build  ## studies killed at random times, and studies two at a time on one results file
	cmake --build --preset release -j $(JOBS) --target test_crash
	FAULTLINE_KILLS=$(KILLS) FAULTLINE_PAIRS=$(PAIRS) build/bin/test_crash --gtest_filter='SlowCampaign*'

format: ## rewrite sources with clang-format
	git ls-files '*.h' '*.cpp' '*.cu' | xargs clang-format -i

lint: ## clang-format and clang-tidy find nothing (clang-tidy reads no precompiled headers of GCC; vector kernels are left out)
	scripts/setup.sh lint
	git ls-files '*.h' '*.cpp' '*.cu' | xargs clang-format --dry-run -Werror
	cmake --preset release -B build-lint -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCMAKE_UNITY_BUILD=OFF
	git ls-files 'src/*.cpp' 'apps/*.cpp' 'checker/*.cpp' ':!src/simulate/kernels/planes_*' | xargs -P $(JOBS) -n 4 clang-tidy -p build-lint --quiet

setup:
	@scripts/setup.sh

clean:
	rm -rf build build-dev build-tsan build-fuzz build-lint report.html
