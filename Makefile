# dlp: build, test, install. "make help" lists the targets.
# The caller's own: CC CFLAGS CPPFLAGS LDFLAGS PREFIX DESTDIR. SAN=1, CLANG=1
# and CROSS=1 build with sanitizers, with clang, and for arm64, each in a folder
# of its own. HARDEN= leaves out the hardening of the executables; STATIC=0
# installs an executable per command where the static libraries allow one for
# all. Only deps, demo and test install packages, and say so first.

# No rules of make's own: one writes reports/overview anew from overview.sh.
.SUFFIXES:

VERSION := $(shell sed -n 's/.*DLP_VERSION "\(.*\)"/\1/p' common/cli.h)
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
DATADIR = $(PREFIX)/share/dlp
COMPDIR = $(PREFIX)/share/bash-completion/completions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
ZSHDIR = $(PREFIX)/share/zsh/site-functions
LIBDIR = $(PREFIX)/lib/dlp
# What the scripts do not find relative to themselves.
MOVED = $(if $(filter $(PREFIX)/bin:$(PREFIX)/share/dlp,$(BINDIR):$(DATADIR)),,$(DATADIR))

CC = cc
CFLAGS ?= -O2 -g
INSTALL = install
B = build
ifdef SAN
B = build-san
# also where CFLAGS are the caller's, who may want warnings to be errors
override CFLAGS := -O1 -g -fno-omit-frame-pointer \
	 -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	 $(filter -Werror,$(CFLAGS))
LDFLAGS += -fsanitize=address,undefined
endif
ifdef CLANG
B = build-clang
CC = clang
endif
ifdef CROSS
B = build-arm64
CC = aarch64-linux-gnu-gcc
AR = aarch64-linux-gnu-ar
PKG_CONFIG = pkg-config --with-path=/usr/lib/aarch64-linux-gnu/pkgconfig
endif
ifdef FUZZ
B = build-fuzz
CC = clang
# NULL + 0 is no error to anyone but this check.
override CFLAGS := -O1 -g -fno-omit-frame-pointer \
	 -fsanitize=address,undefined,fuzzer-no-link \
	 -fno-sanitize-recover=undefined -fno-sanitize=pointer-overflow
LDFLAGS += -fsanitize=address,undefined
endif

WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
       -Wwrite-strings -Wpointer-arith -Wformat=2
# These make a fault in a reader of strangers' files harder to exploit. Those in
# HARDEN_ASK depend on the compiler and the machine, so the compiler is asked.
# Sanitizers have checks of their own, which these would get in the way of.
accepts = $(shell echo 'int x;' | $(CC) -O2 -Werror $(1) -include string.h \
	    -x c -c - -o /dev/null 2>/dev/null && echo '$(1)')
ifeq ($(SAN)$(FUZZ),)
HARDEN = -fPIE -fstack-protector-strong $(HARDEN_ASK)
endif
ifneq ($(HARDEN),)
HARDEN_LD = -pie -Wl,-z,relro,-z,now
ifneq ($(filter -O1 -O2 -O3 -Os -Ofast,$(CFLAGS)),)
HARDEN_ASK := $(call accepts,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif
HARDEN_ASK := $(HARDEN_ASK) $(call accepts,-fstack-clash-protection) \
	      $(call accepts,-fcf-protection)
endif

BASE_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -Icommon -I$(B)/common
ALL_CFLAGS = -std=c11 $(WARN) $(HARDEN) $(CFLAGS)
ALL_CPPFLAGS = $(BASE_CPPFLAGS) -MMD -MP $(CPPFLAGS)
ALL_LDFLAGS = $(HARDEN_LD) $(LDFLAGS)

# In an order that does not depend on the locale, as wildcard's does: it is the
# order in which files are linked.
files = $(sort $(wildcard $(1)))
CMDS = $(patsubst cmd/%.c,%,$(call files,cmd/dlp-*.c))
BINS = $(CMDS:%=$(B)/bin/%)
# Data files: installed as they are, and compiled in as one table.
SHARE = $(call files,common/*.rules common/vocab.tab cmd/*/*.rules cmd/*/*.tab cmd/*/*.py \
	cmd/*/*.sql cmd/*/*.json)
# What -h prints, of each command: compiled in as another.
USAGE = $(call files,cmd/*.usage)
# The viewer that dlp-html writes into its pages: joined by name, compiled in.
PAGE = $(B)/cmd/dlp-html/words.js $(call files,cmd/dlp-html/page/*)
COMMON_O = $(patsubst %.c,$(B)/%.o,$(call files,common/*.c)) \
	   $(B)/common/shipped_files.o $(B)/common/usage_files.o \
	   $(B)/common/columns.o
UNITS = $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/*.c))
SCRIPTS = dlp dlprof dlprofviewer pyprof-parse pyprof-prof
PARTS = commands reports reports/awk reports/dlprof dlprof.d batch
MANS = $(wildcard man/*.[157])

PKG_CONFIG = pkg-config
# $(call lib,PACKAGE,FLAGS): as pkg-config has it, FLAGS where it knows nothing.
lib = $(shell $(PKG_CONFIG) --libs $(1) 2>/dev/null || echo $(2))
SQLITE := $(call lib,sqlite3,-lsqlite3)
PACKED := $(call lib,liblzma libzstd zlib,-llzma -lzstd -lz)

# Only what reads databases links these.
LIBS_dlp-parse = $(SQLITE) $(PACKED) -liberty -pthread
LIBS_dlp-tc = -liberty
LIBS_demangle_old = -liberty
LIBS_dlp-agg = -lm
LIBS_dlp-advise = -lm
LIBS_dlp-dldb = $(SQLITE) -lm
LIBS_dlp-diff = -lm
LIBS_dlp-fmt = $(SQLITE) -lm
LIBS_dlp-html = $(call lib,zlib,-lz)
LIBS_dlp-trace = $(call lib,zlib,-lz)
LIBS_dlp-iter = -lm
LIBS_dlp-openmetrics = -lm
LIBS_dlp-overview = -lm
LIBS_dlp-energy = -lm
LIBS_dlp-record = $(SQLITE) -liberty
LIBS_dlp-stats = -lm

# A make inside a recipe builds on all processors unless -j was given.
SUBMAKE = $(MAKE) --no-print-directory \
	  $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc || echo 1))

# What dlp-record loads into programs, and its Python files. CUDA's headers are
# not needed; where they are, our own declarations are compared with them.
CUDA_INCLUDE = $(wildcard /usr/local/cuda/include)
has = $(if $(wildcard $(CUDA_INCLUDE)/$(1)),-D$(2))
CUDA_CPPFLAGS = $(CUDA_INCLUDE:%=-isystem %) $(call has,cupti.h,HAS_CUPTI) \
		$(call has,nvtx3/nvToolsExt.h,HAS_NVTX) \
		$(call has,nvtx3/nvToolsExtPayload.h,HAS_NVTX_PAYLOAD)
RECORDER = $(B)/lib/dlp/dlp-record.so
RECORDER_OLD = cmd/dlp-record/lib/glibc_old.h
RECORDER_O = $(patsubst %.c,$(B)/%.o,$(call files,cmd/dlp-record/lib/*.c))
PYTHON = $(shell cd cmd/dlp-record && find python -name '*.py' | LC_ALL=C sort)
PYTHON_FILES = $(PYTHON:%=$(B)/lib/dlp/%)

# One static executable for all commands starts in half the time, so it is what is
# installed, where the static libraries are there: see HACKING.md. Tests run $(BINS).
STATIC_LIBS = -lsqlite3 -llzma -lzstd -lz -liberty -lm
ifeq ($(SAN)$(FUZZ)$(CROSS)$(STATIC),)
STATIC := $(shell echo 'int main(void) { return 0; }' | $(CC) -static-pie -x c - \
	    -o /dev/null $(STATIC_LIBS) 2>/dev/null && echo 1)
endif
S = $(B)/static
FILTERS = $(if $(filter 1,$(STATIC)),$(S)/dlp-filters)

.PHONY: all
all: $(BINS) $(RECORDER) $(PYTHON_FILES) $(FILTERS)

.PHONY: help
help:
	@sed -n 's/^## //p' Makefile

## make            build the commands in build/bin
## make deps       install the libraries that the build needs
##                   FOR='test lint'   those of other groups: build test web deb
##                                     cluster lint fuzz bench strict cross
## make demo       all of that, and a report of a shipped profile
## make check      the quick tests, under a minute; installs nothing
##                   T='parse stage*'  only test files of these names
## make test       install what the tests need, and run them: some minutes
##                   T=...             as above
##                   SAN=1             with sanitizers, in build-san
## make test-all   what make test leaves out: a build with sanitizers, other
##                 compilers, packages, random and broken input, calls that
##                 fail; browsers after make deps FOR=web; and with
##                 DLP_MORE_DATA=DIR tests of a folder of more profiles
##                   T=...             as above
## make strict     build with gcc and clang, where a warning is an error
## make cross      build for arm64
## make test-cluster  batches over ssh and by Slurm, on this machine; as root
## make fuzz       fuzz the readers, with clang: TIME=600 seconds each,
##                 T='marker rec'  only these of tests/fuzz/targets, or
##                 harness: broken and random profiles, until TIME is over
## make fault      every call that can fail fails once, in every command
## make lint       formatting, static analysis, manuals, scripts
## make fmt        reformat the C sources
## make bench      speed against the sqlite3 shell, memory, whether time grows
##                 with the rows, numbers against SQL; ROWS='1000000 11000000'
##                 BEST=1 MB= GROWTH=
## make bench-web  pages of 2000, 10000 and a million kernels: size, time, memory,
##                 and speed in Chromium; KERNELS='2000 10000'
## make install    to PREFIX (/usr/local), DESTDIR in front; uninstall
## make dist       dlp-VERSION.tar.gz of the last commit
## make deb        Debian packages and their .changes in build/deb
## make static     dlp-VERSION-linux-x86_64.tar.xz in build: commands that run on
##                 any Linux, from where it is unpacked; CROSS=1 for arm64
## make wheel      the same for pip, in build
## make clean      remove what was built

$(B)/libdlp.a: $(COMMON_O)
	@rm -f $@
	$(AR) rc $@ $^

# The registry of columns: its ids, and its tables. Everything includes the ids.
$(B)/common/columns.h $(B)/common/columns.c: common/columns.awk \
    common/columns.tab
	@mkdir -p $(@D)
	LC_ALL=C awk $(if $(filter %.h,$@),-v header=1) \
	    -f common/columns.awk common/columns.tab >$@.tmp && mv $@.tmp $@

$(B)/common/columns.o: $(B)/common/columns.c
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

$(B)/common/shipped_files.c: common/embed.awk $(SHARE)
	@mkdir -p $(@D)
	LC_ALL=C awk -f common/embed.awk $(SHARE) >$@.tmp && mv $@.tmp $@

$(B)/common/usage_files.c: common/embed.awk $(USAGE)
	@mkdir -p $(@D)
	LC_ALL=C awk -v table=usage_files -f common/embed.awk $(USAGE) \
	    >$@.tmp && mv $@.tmp $@

$(B)/common/shipped_files.o $(B)/common/usage_files.o: %.o: %.c
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

# Findings and idle time have the words of the terminal's screen.
$(B)/cmd/dlp-html/words.js: cmd/dlp-overview/overview.tab cmd/dlp-html/words.awk
	@mkdir -p $(@D)
	LC_ALL=C awk -f cmd/dlp-html/words.awk cmd/dlp-overview/overview.tab \
	    >$@.tmp && mv $@.tmp $@

$(B)/cmd/dlp-html/page_files.c: common/embed.awk $(PAGE)
	@mkdir -p $(@D)
	LC_ALL=C awk -v table=html_page_files -f common/embed.awk $(PAGE) \
	    >$@.tmp && mv $@.tmp $@

$(B)/cmd/dlp-html/page_files.o: $(B)/cmd/dlp-html/page_files.c
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

$(B)/bin/dlp-html: $(B)/cmd/dlp-html/page_files.o

# A command is cmd/NAME.c and, where it grew, the files in cmd/NAME/.
define cmd_rule
$(B)/bin/$(1): $(patsubst %.c,$(B)/%.o,cmd/$(1).c $(call files,cmd/$(1)/*.c)) \
    $(B)/libdlp.a
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS) -o $$@ $$^ $$(LIBS_$(1)) $$(LDLIBS)
endef
$(foreach c,$(CMDS),$(eval $(call cmd_rule,$(c))))

# It is loaded into programs that know nothing of sanitizers, and stays there.
$(B)/cmd/dlp-record/lib/%.o: cmd/dlp-record/lib/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CUDA_CPPFLAGS) -MMD -MP -std=c11 \
	    $(WARN) $(filter-out -fsanitize% -fno-sanitize%,$(CFLAGS)) \
	    -include $(RECORDER_OLD) -fPIC -fvisibility=hidden -c -o $@ $<

# An older glibc has dlopen and pthread_create in these two: they are named as
# needed although today's are empty, where the compiler has them.
NEEDED := $(foreach f,libdl.so.2 libpthread.so.0,$(if $(findstring /,$(shell \
	$(CC) -print-file-name=$(f))),-l:$(f)))
$(RECORDER): $(RECORDER_O)
	@mkdir -p $(@D)
	$(CC) $(filter-out -fsanitize%,$(CFLAGS) $(LDFLAGS)) -shared \
	    -Wl,-z,defs -Wl,-z,nodelete -o $@ $^ -Wl,--no-as-needed $(NEEDED) \
	    -Wl,--as-needed -ldl -lpthread

$(B)/lib/dlp/python/%.py: cmd/dlp-record/python/%.py
	@mkdir -p $(@D)
	cp $< $@

$(B)/%.o: %.c | $(B)/common/columns.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

# A unit test names the objects of a command that it needs in its first line.
needs = $(addprefix $(B)/,$(shell sed -n '1s,.*needs: *\(.*\)\*/.*,\1,p' $(1)))
define unit_rule
$(B)/unit/$(1): $(B)/tests/unit/$(1).o $(call needs,tests/unit/$(1).c) \
    $(B)/libdlp.a
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS) -o $$@ $$^ \
	    $$(if $$(findstring dlp-parse,$$^),$$(LIBS_dlp-parse)) \
	    $$(LIBS_$(1)) $$(LDLIBS)
endef
$(foreach u,$(notdir $(UNITS)),$(eval $(call unit_rule,$(u))))

# Programs that the tests of dlp-record record, and a libcupti of their own.
RECORD_TESTS = $(addprefix $(B)/record/,libcupti.so.13 libcuda.so.1 \
	       libnvidia-ml.so.1 nvtxlib.so nvtxext fakecuda \
	       $(if $(call has,nvtx3/nvToolsExt.h,y),fakecuda-nvtx3))
RECORD_CC = $(CC) $(CPPFLAGS) -std=gnu11 $(WARN) -Wno-missing-prototypes \
	    $(filter-out -fsanitize% -fno-sanitize%,$(CFLAGS))
RECORD_H = tests/record/nvtx_own.h $(wildcard cmd/dlp-record/lib/*_abi.h)

$(B)/record/libcupti.so.13: tests/record/fakecupti.c $(RECORD_H)
	@mkdir -p $(@D)
	$(RECORD_CC) -fPIC -fvisibility=hidden -shared -Wl,-soname,$(@F) -o $@ \
	    $< -lpthread

$(B)/record/libcuda.so.1: tests/record/fakedriver.c
	@mkdir -p $(@D)
	$(RECORD_CC) -fPIC -fvisibility=hidden -shared -Wl,-soname,$(@F) -o $@ $<

$(B)/record/libnvidia-ml.so.1: tests/record/fakenvml.c
	@mkdir -p $(@D)
	$(RECORD_CC) -fPIC -shared -Wl,-soname,$(@F) -o $@ $<

$(B)/record/nvtxlib.so: tests/record/nvtxlib.c $(RECORD_H)
	@mkdir -p $(@D)
	$(RECORD_CC) -fPIC -fvisibility=hidden -shared -o $@ $< -ldl

$(B)/record/fakecuda: tests/record/fakecuda.c $(RECORD_H)
	@mkdir -p $(@D)
	$(RECORD_CC) -o $@ $< -Wl,-rpath,'$$ORIGIN' -ldl -lpthread

$(B)/record/fakecuda-nvtx3: tests/record/fakecuda.c
	@mkdir -p $(@D)
	$(RECORD_CC) -DNVTX3 $(CUDA_CPPFLAGS) -o $@ $< -Wl,-rpath,'$$ORIGIN' \
	    -ldl -lpthread

$(B)/record/nvtxext: tests/record/nvtxext.c $(RECORD_H)
	@mkdir -p $(@D)
	$(RECORD_CC) -o $@ $< -ldl

.PHONY: unit recorded
unit: $(UNITS) recorded
recorded: $(RECORD_TESTS)

.PHONY: deps
FOR = build
deps:
	@sh tests/bin/install-deps $(FOR)

.PHONY: demo
demo:
	@sh tests/bin/install-deps build
	@echo "building in $(B)/bin"
	@$(SUBMAKE) -s all
	@B=$(B) sh tests/bin/demo

.PHONY: test
test:
	@sh tests/bin/install-deps build test
	@$(SUBMAKE) -s -k all unit || touch $(B)/failed
	@B=$(B) bash tests/bin/run $(T)

.PHONY: test-all
test-all:
	@sh tests/bin/install-deps build test
	@$(SUBMAKE) -s -k all unit || touch $(B)/failed
	@$(SUBMAKE) -s -k SAN=1 all unit || touch $(B)/failed
	@B=$(B) ALL=1 SANB=build-san bash tests/bin/run $(T)

.PHONY: check
check:
	@$(SUBMAKE) -s -k all unit || touch $(B)/failed
	@B=$(B) CHECK=1 bash tests/bin/run $(T)

.PHONY: strict
strict:
	@sh tests/bin/install-deps -n build strict
	@$(SUBMAKE) -s B=build-gcc CC=gcc CFLAGS='-O2 -g -Werror' all unit
	@$(SUBMAKE) -s CLANG=1 CFLAGS='-O2 -g -Werror' all unit

.PHONY: cross
cross:
	@sh tests/bin/install-deps -n build cross
	@$(SUBMAKE) -s CROSS=1 all

.PHONY: test-cluster
test-cluster: all
	@B=$(B) bash tests/cluster/run

.PHONY: fuzz
fuzz:
	@sh tests/bin/install-deps -n build test fuzz
	@$(SUBMAKE) -s all
	@$(SUBMAKE) -s FUZZ=1 all
	@BIN=$(CURDIR)/$(B)/bin bash tests/fuzz/run $(T)

.PHONY: fault
fault: all
	@B=$(B) CC='$(CC)' bash tests/fault/run $(T)

.PHONY: lint
lint:
	@sh tests/bin/install-deps -n build lint
	@FLAGS='-std=c11 $(BASE_CPPFLAGS)' bash tests/bin/lint

.PHONY: fmt
fmt:
	clang-format -i $$(git ls-files '*.c' '*.h')

.PHONY: bench
bench:
	@sh tests/bin/install-deps -n build bench
	@$(SUBMAKE) all
	@B=$(B) CC='$(CC)' bash tests/bench/run

.PHONY: bench-web
bench-web: all
	@B=$(B) CC='$(CC)' bash tests/bench/web

# Every report is asked, which takes seconds: once, not in each installation.
$(B)/completion/_dlp: $(call files,cmd/*.usage pipelines/* pipelines/reports/* \
    pipelines/reports/awk/columns.tab)
	@mkdir -p $(@D)
	sh pipelines/completions $(@D)

.PHONY: install
install: all $(B)/completion/_dlp
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(DATADIR) \
	    $(DESTDIR)$(COMPDIR) $(DESTDIR)$(FISHDIR) $(DESTDIR)$(ZSHDIR)
	$(INSTALL) $(or $(FILTERS),$(BINS)) $(DESTDIR)$(BINDIR)
	$(if $(FILTERS),for c in $(CMDS); do \
		ln -sf dlp-filters $(DESTDIR)$(BINDIR)/$$c || exit; \
	done,rm -f $(DESTDIR)$(BINDIR)/dlp-filters)
	$(INSTALL) -d $(DESTDIR)$(LIBDIR)
	$(INSTALL) $(RECORDER) $(DESTDIR)$(LIBDIR)
	for f in $(PYTHON); do \
		$(INSTALL) -d $(DESTDIR)$(LIBDIR)/$$(dirname $$f) && \
		$(INSTALL) -m 644 cmd/dlp-record/$$f \
		    $(DESTDIR)$(LIBDIR)/$$f || exit; \
	done
	for s in $(SCRIPTS); do \
		test -f pipelines/$$s || continue; \
		sed 's|^datadir=$$|datadir=$(MOVED)|' pipelines/$$s \
		    >$(DESTDIR)$(BINDIR)/$$s || exit; \
		chmod 755 $(DESTDIR)$(BINDIR)/$$s || exit; \
	done
	for d in $(PARTS); do \
		$(INSTALL) -d $(DESTDIR)$(DATADIR)/$$d || exit; \
		for f in pipelines/$$d/*; do \
			test -f $$f || continue; \
			m=644; ! head -n 1 $$f | grep -q '^#!' || m=755; \
			$(INSTALL) -m $$m $$f \
			    $(DESTDIR)$(DATADIR)/$$d || exit; \
		done; \
	done
	$(INSTALL) -m 644 $(SHARE) pipelines/dlp-batch.mk pipelines/SKILL.md \
	    $(DESTDIR)$(DATADIR)
	$(INSTALL) -m 644 pipelines/dlp.bash-completion $(DESTDIR)$(COMPDIR)/dlp
	$(INSTALL) -m 644 $(B)/completion/dlp.fish $(DESTDIR)$(FISHDIR)
	$(INSTALL) -m 644 $(B)/completion/_dlp $(DESTDIR)$(ZSHDIR)
	for c in $(CMDS) dlprof; do \
		ln -sf dlp.fish $(DESTDIR)$(FISHDIR)/$$c.fish || exit; \
	done
	for m in $(MANS); do \
		d=$(DESTDIR)$(MANDIR)/man$${m##*.}; \
		$(INSTALL) -d $$d && $(INSTALL) -m 644 $$m $$d || exit; \
	done

.PHONY: uninstall
uninstall:
	rm -f $(addprefix $(DESTDIR)$(BINDIR)/,$(CMDS) $(SCRIPTS) dlp-filters)
	rm -f $(foreach m,$(MANS),$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix \
	    $(m)))/$(notdir $(m)))
	rm -rf $(addprefix $(DESTDIR)$(DATADIR)/,$(PARTS)) \
	    $(DESTDIR)$(COMPDIR)/dlp $(DESTDIR)$(ZSHDIR)/_dlp
	rm -f $(patsubst %,$(DESTDIR)$(FISHDIR)/%.fish,$(CMDS) dlprof dlp)
	rm -f $(addprefix $(DESTDIR)$(DATADIR)/,$(notdir $(SHARE)) \
	    dlp-batch.mk SKILL.md)
	rm -rf $(DESTDIR)$(LIBDIR)
	-rmdir $(DESTDIR)$(DATADIR)

.PHONY: dist
dist:
	git archive --prefix=dlp-$(VERSION)/ -o dlp-$(VERSION).tar.gz HEAD

# In a copy of the last commit, so that nothing is written beside the sources.
DEB = $(B)/deb
.PHONY: deb
deb:
	@sh tests/bin/install-deps -n build deb
	rm -rf $(DEB)
	mkdir -p $(DEB)/dlp-$(VERSION)
	git archive HEAD | tar -x -C $(DEB)/dlp-$(VERSION)
	git archive --prefix=dlp-$(VERSION)/ -o \
	    $(DEB)/dlp_$(VERSION).orig.tar.gz HEAD -- ':!debian'
	cd $(DEB)/dlp-$(VERSION) && dpkg-buildpackage -us -uc
	rm -rf $(DEB)/dlp-$(VERSION)

# All commands in one static executable, behind their names: an object for each,
# in which main() has another name and everything else is hidden.
ARCH = $(shell $(CC) -dumpmachine | cut -d- -f1)
NAME = dlp-$(VERSION)-linux-$(ARCH)
LD = $(shell $(CC) -print-prog-name=ld)
OBJCOPY = $(shell $(CC) -print-prog-name=objcopy)
STRIP = $(shell $(CC) -print-prog-name=strip)
define static_rule
$(S)/$(1).o: $(patsubst %.c,$(B)/%.o,cmd/$(1).c $(call files,cmd/$(1)/*.c)) \
    $(if $(filter dlp-html,$(1)),$(B)/cmd/dlp-html/page_files.o)
	@mkdir -p $$(@D)
	$(LD) -r -o $$@ $$^
	$(OBJCOPY) --redefine-sym main=main_$(subst -,_,$(1)) \
	    --keep-global-symbol=main_$(subst -,_,$(1)) $$@
endef
$(foreach c,$(CMDS),$(eval $(call static_rule,$(c))))

$(S)/commands.h: $(CMDS:%=cmd/%.c)
	@mkdir -p $(@D)
	printf '%s\n' $(CMDS) | sed 'h;s/-/_/g;G;s/\(.*\)\n\(.*\)/COMMAND("\2", main_\1)/' >$@

$(S)/dlp-filters: packaging/filters.c $(S)/commands.h $(CMDS:%=$(S)/%.o) \
    $(B)/libdlp.a
	$(CC) $(ALL_CFLAGS) $(BASE_CPPFLAGS) -I$(S) -static-pie \
	    -Wl,--wrap=dlopen,--wrap=dlerror -o $@ $< \
	    $(CMDS:%=$(S)/%.o) $(B)/libdlp.a $(STATIC_LIBS)
	$(STRIP) $@

.PHONY: static
static: all $(S)/dlp-filters
	rm -rf $(S)/$(NAME)
	$(MAKE) --no-print-directory -s install DESTDIR=$(CURDIR)/$(S)/$(NAME) \
	    PREFIX= STATIC=1
	$(STRIP) $(S)/$(NAME)/lib/dlp/dlp-record.so
	cp -R LICENSE README.md NEWS.md docs $(S)/$(NAME)
	sed 's/VERSION/$(VERSION)/' packaging/README >$(S)/$(NAME)/README
	tar -C $(S) --owner=0 --group=0 --sort=name -c $(NAME) | xz -9 >$(B)/$(NAME).tar.xz
	@echo "$(B)/$(NAME).tar.xz"

.PHONY: wheel
wheel: static
	python3 packaging/wheel.py $(S)/$(NAME) $(VERSION) $(ARCH) $(B)

.PHONY: clean
clean:
	rm -rf build build-*

-include $(wildcard $(B)/common/*.d $(B)/cmd/*.d $(B)/cmd/*/*.d \
    $(B)/cmd/*/*/*.d \
    $(B)/tests/unit/*.d)
