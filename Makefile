# The door: CMake builds after it. 'make help' lists what there is.
CMAKE   ?= cmake
JOBS    ?= $(shell nproc)
CHECKED  = -DSLT_STRICT=ON -DSLT_TESTS=ON
PREFIX  ?= /usr/local
BUILD   ?= build
DIST    ?= build
VERSION := $(shell sed -n 's/.define SLT_VERSION_[MP][A-Z]* //p' include/slottar/version.h | paste -sd.)

.PHONY: all install uninstall dist distcheck wheels debian demo test check python site fuzz faults analyze load asan tsan deps layers symbols sizes numbers format lint clean help

all: ## the command build/slottar and the library build/libslottar.so
	@$(CMAKE) -S . -B build >/dev/null && $(CMAKE) --build build -j$(JOBS)

install: ## library, headers, command, manual and completions, below PREFIX (and DESTDIR)
	@$(CMAKE) -S . -B build -DCMAKE_INSTALL_PREFIX="$(PREFIX)" >/dev/null && $(CMAKE) --build build -j$(JOBS)
	@$(CMAKE) --install build
	@[ -n "$(DESTDIR)" ] || ldconfig 2>/dev/null || true

uninstall: ## removes what the last 'make install' installed
	@sed 's|^|$(DESTDIR)|' $(BUILD)/install_manifest.txt | xargs -d '\n' rm -f

dist: ## slottar-VERSION.tar.gz in build (or DIST), from the last commit
	@mkdir -p $(DIST)
	@git archive --prefix=slottar-$(VERSION)/ HEAD | gzip -9n >$(DIST)/slottar-$(VERSION).tar.gz
	@echo $(DIST)/slottar-$(VERSION).tar.gz

distcheck: dist ## the archive, unpacked, built and tried
	@tools/distcheck $(DIST)/slottar-$(VERSION).tar.gz

wheels: ## the wheels of Python for this platform, tried in an empty virtual environment
	@tools/wheels

debian: ## Debian packages in build-debian, looked at by lintian
	@tools/debian

demo: deps all ## installs, builds and shows what slottar does
	@tools/demo

test: deps ## installs what is missing, builds, runs every test that needs no GPU (TEST_LOCALE=de_DE.UTF-8: with a decimal comma)
	@tools/test

check: ## the inner loop: build with tests, run those that match T
	@$(CMAKE) -S . -B build-check $(CHECKED) >/dev/null && $(CMAKE) --build build-check -j$(JOBS)
	@tests/run build-check '$(T)'

python: ## the Python package in a virtual environment, and its tests (T: arguments of pytest)
	@$(CMAKE) -S . -B build-check $(CHECKED) >/dev/null && $(CMAKE) --build build-check -j$(JOBS)
	@tools/python build-check $(T)

site: all ## the documents and the reference as web pages, in build/site; needs no network to read
	@tools/site

fuzz: ## every reader of files on N (a million) mutated files each, under the sanitizers
	@tools/fuzz $(or $(N),1000000) '$(T)'

faults: ## kills and fails commands at N random places (500), and starts them again
	@tools/faults $(or $(N),500)

analyze: ## gcc -fanalyzer, clang-tidy, cppcheck, sanitizers, valgrind, coverage (STEPS=...: some)
	@tools/analyze $(STEPS)

load: ## times and memory of a million trajectories, or of one SHARE-th of them
	@tools/load $(or $(SHARE),20)

asan: ## short tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/sanitized address,undefined '$(T)'

tsan: ## short tests under ThreadSanitizer
	@tools/sanitized thread '$(T)'

deps: ## installs the packages that build and tests need
	@tools/deps

layers: ## checks that #include arrows go down only, and that no files need each other
	@tools/layers
	@tools/circles

symbols: all ## checks what the library exports and imports
	@tools/symbols build/libslottar.so

sizes: ## checks lengths of files and functions
	@tools/sizes

numbers: ## checks that numbers are printed and read in the C locale
	@tools/numbers

format: ## lays out the code
	@git ls-files '*.c' '*.h' '*.cu' '*.cuh' '*.cc' '*.js' | xargs clang-format -i

lint: layers sizes numbers ## what can be checked without building
	@git ls-files '*.c' '*.h' '*.cu' '*.cuh' '*.cc' '*.js' | xargs clang-format --dry-run -Werror

clean: ## removes what was built
	rm -rf build build-*

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12
