# dlp-batch.mk: reports of many profiles, by make. See dlp-batch(7).
#
# usage: make -f dlp-batch.mk -j8 run1.kernel.csv run2.top.json run1.dlp
#	 make -f dlp-batch.mk -j8 REPORTS='kernel ops' FORMATS=csv
#	 make -f dlp-batch.mk -j8 total.tsv
#	 make -f dlp-batch.mk -j8 KEEP=1 total.tsv
#
# NAME.REPORT.FORMAT is made from NAME.sqlite, NAME.sqlite.xz or NAME.nsys-rep
# (with nsys) by "dlp REPORT --FORMAT"; NAME.dlp is the stream of dlp-flops,
# NAME.part the partial result of dlp-agg, total.tsv the merge of all of these.
# "all" makes every REPORT in every FORMAT of each profile in $(DIR).
#
# "gate" prints how AFTER differs from BEFORE as Markdown and fails if the step
# became slower by more than OVER:
#	 make -f dlp-batch.mk gate BEFORE=main.sqlite AFTER=run.sqlite OVER=5%
#
# A target is moved into place when it is whole, so that no failure, and no
# kill, leaves a half one. No pipefail is needed: a stage that fails leaves
# its stream without an end, and the last one exits 2. Names of files with
# blanks, and with what make reads itself, are not possible in make: all says
# which these are; of the latter it fails, the former it leaves out. total.tsv
# is of all files, or fails. With KEEP=1 a profile that fails is left out, and so are
# files with blanks: failed.txt names what is missing. NAME.sqlite beside NAME.sqlite.xz, and a DIR with a
# blank, are refused before anything is made.

DIR = .
REPORTS = top
FORMATS = csv
# What options a report gets: FLAGS_iters = -k iteration
FLAGS_stats = -r cuda_gpu_kern_sum,cuda_api_sum
# How profiles are aggregated for .part, and what becomes of their merge.
AGG = -T kern -g op,short -a count,sum,max -f dur_ns
MERGE = --sort -sum

# What gate compares, and how much slower a step may be.
BEFORE = before.sqlite
AFTER = after.sqlite
OVER = 5%
GATE_FLAGS = -n 20

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all
all:

# A report that this dlp has, but none of several files.
BATCH_REPORTS := $(filter-out diff join ranks dldb,$(shell dlp | \
	sed -n 's/^  \([a-z_][a-z_]*\) .*/\1/p'))
ifeq ($(BATCH_REPORTS),)
$(error dlp is not on PATH)
endif
BATCH_FORMATS = csv tsv json jsonl md txt prom
how_csv = --csv
how_tsv = --tsv
how_json = --json
how_jsonl = --jsonl
how_md = --md
how_txt = -w 120
# These write a format of their own, whatever the name of the file.
BATCH_OWN = folded trace openmetrics
how = $(if $(filter stats,$(1)),-f $(2:txt=column),$(if \
	$(filter $(BATCH_OWN),$(1)),,$(how_$(2))))

# A name as one word of the shell, whatever is in it.
quote = '$(subst ','\'',$(1))'

# The same for nsys, which knows no --: no name begins with a dash.
beside = $(patsubst '-%,'./-%,$(1))

# A file of this name alone, without those beside it, does without.
BATCH_SIGNALS := $(dir $(lastword $(MAKEFILE_LIST)))reports/signals.sh
BATCH_SIGNALS := $(if $(wildcard $(BATCH_SIGNALS)),. $(call \
	quote,$(abspath $(BATCH_SIGNALS))) && catch_signals;)

# What a recipe runs: to a name beside the target, which becomes it in the end,
# unless make, or who kills it, ends the recipe's shell.
temp = $(call quote,$@).$$$$.tmp
begin = $(BATCH_SIGNALS) clean_up() { rm -f -- $(temp); };
made = & wait $$! && mv -f -- $(temp) $(call quote,$@) || { clean_up; $(failed) }
# With KEEP, what is left of an earlier run is not for this one.
failed = $(if $(KEEP),rm -f -- $(call quote,$@); echo $(call \
	quote,$@: failed; going on) | tr -d '\001-\011\013-\037\177' >&2; exit 0;,exit 2;)

# What of these files is missing, and the files that make cannot take, to failed.txt, which is
# gone if that is nothing.
missing = { for f in $(foreach f,$(1),$(call quote,$(f))); do \
	[ -e "$$f" ] || printf '%s\n' "$$f"; done; \
	for f in $(foreach s,$(BATCH_ENDS),$(call quote,$(DIR))/*[[:space:]]*$(s)); do \
	[ ! -e "$$f" ] || printf '%s\n' "$$f"; done; } | LC_ALL=C tr -d '\001-\011\013-\037\177' >failed.txt; \
	[ ! -s failed.txt ] && rm -f failed.txt || \
	echo "missing: $$(wc -l <failed.txt | tr -d ' '), failed.txt names them" >&2
done = >$(temp) $(made)

define batch_rule
%.$(1).$(2): %.$(3)
	@$$(begin) dlp $(1) $(call how,$(1),$(2)) $$(FLAGS_$(1)) -- \
		$$(call quote,$$<) $$(done)
endef
$(foreach r,$(BATCH_REPORTS),$(foreach f,$(BATCH_FORMATS),$(foreach \
	s,sqlite sqlite.xz,$(eval $(call batch_rule,$(r),$(f),$(s))))))

define stream_rule
%.dlp: %.$(1)
	@$$(begin) dlp-parse -- $$(call quote,$$<) | dlp-correlate | \
		dlp-flops $$(done)

%.part: %.$(1)
	@$$(begin) dlp-parse --src -- $$(call quote,$$<) | dlp-correlate | dlp-flops | \
		dlp-agg --partial $$(AGG) $$(done)
endef
$(foreach s,sqlite sqlite.xz,$(eval $(call stream_rule,$(s))))

# An export is kept: it takes longer than all else.
.PRECIOUS: %.sqlite
%.sqlite: %.nsys-rep
	@$(begin) nsys export --type sqlite --force-overwrite true \
		--output $(call beside,$(temp)) $(call beside,$(call quote,$<)) \
		>/dev/null $(made)

# make would take a folder with a blank for two, and make nothing of either.
BATCH_GOALS := $(or $(MAKECMDGOALS),all)
ifneq ($(filter all total.tsv,$(BATCH_GOALS)),)
ifneq ($(words $(DIR)),1)
$(error DIR='$(DIR)': make cannot take a folder with a blank)
endif
ifeq ($(wildcard $(DIR)/.),)
$(error DIR='$(DIR)': no such folder)
endif
endif

# NAME.sqlite and NAME.sqlite.xz would make one file, from either.
BATCH_TWINS := $(foreach f,$(sort $(wildcard $(addsuffix *.sqlite.xz,$(sort \
	$(if $(filter all total.tsv,$(BATCH_GOALS)),$(DIR)/) \
	$(dir $(filter-out all gate total.tsv,$(BATCH_GOALS))))))),$(if \
	$(wildcard $(f:.xz=)),$(f:.sqlite.xz=)))
BATCH_TWINS := $(foreach f,$(BATCH_TWINS),$(if $(or $(filter \
	$(DIR)/,$(if $(filter all total.tsv,$(BATCH_GOALS)),$(dir $f))),$(filter \
	$f.% $(f:./%=%).%,$(BATCH_GOALS))),$f))
ifneq ($(BATCH_TWINS),)
BATCH_TWINS := $(shell printf "'%s.sqlite' and '%s.sqlite.xz' " \
	$(foreach f,$(BATCH_TWINS),$(call quote,$f) $(call quote,$f)) | \
	tr -d '\001-\037\177')
$(error $(BATCH_TWINS)would make the same files: move one of each pair away)
endif

BATCH_ENDS = .sqlite .sqlite.xz .nsys-rep
BATCH_NAMES := $(sort $(foreach s,$(BATCH_ENDS),$(patsubst \
	%$(s),%,$(filter %$(s),$(wildcard $(DIR)/*$(s))))))
# A name with a blank is several words here, and no file has their names.
blank = $(firstword $(wildcard $(addprefix $(1),$(BATCH_ENDS))))
BATCH_NAMES := $(foreach n,$(BATCH_NAMES),$(if $(call blank,$n),$n))
ifneq ($(filter all total.tsv,$(BATCH_GOALS)),)
BATCH_BLANK := $(shell for f in $(foreach s,$(BATCH_ENDS),$(call \
	quote,$(DIR))/*[[:space:]]*$(s)); do [ ! -e "$$f" ] || \
	printf "'%s' " "$$f"; done | tr -d '\001-\037\177')
ifneq ($(BATCH_BLANK),)
$(warning left out, make cannot take a name with a blank: $(BATCH_BLANK))
endif
endif
BATCH_NAMES := $(sort $(BATCH_NAMES:./%=%))

# Characters that make itself reads in a name.
hash := \#
odd = $(strip $(foreach c,; : = % $$ \ | * ? [ ~ & $(hash),$(findstring $c,$(1))))
BATCH_ODD := $(strip $(foreach n,$(BATCH_NAMES),$(if $(call odd,$n),$n)))
BATCH_NAMES := $(foreach n,$(BATCH_NAMES),$(if $(call odd,$n),,$n))

.PHONY: odd_names
odd_names:
	@printf '%s: make cannot take that name\n' \
		$(foreach n,$(BATCH_ODD),$(call quote,$n)) | \
		tr -d '\001-\011\013-\037\177' >&2
	@exit 2

.PHONY: blank_names
blank_names:
	@echo 'total.tsv: not without the files that are left out' >&2
	@exit 2

all: $(if $(BATCH_ODD),odd_names) $(foreach n,$(BATCH_NAMES),$(foreach r,$(REPORTS),$(foreach \
	f,$(FORMATS),$(n).$(r).$(f))))
	@$(if $(KEEP),$(call missing,$^),:)

.PHONY: gate
gate:
	@dlp diff --md $(GATE_FLAGS) --fail-over $(OVER) -- \
		$(call quote,$(BEFORE)) $(call quote,$(AFTER))

total.tsv: private failed = exit 2;
total.tsv: $(if $(BATCH_ODD),odd_names) $(if $(BATCH_BLANK),$(if $(KEEP),,blank_names)) \
    $(BATCH_NAMES:=.part) $(if $(KEEP),kept)
	@$(begin) $(if $(KEEP),$(call missing,$(BATCH_NAMES:=.part));) set --; \
	for f in $(foreach f,$(BATCH_NAMES:=.part),$(call quote,$(f))); do \
		[ ! -e "$$f" ] || set -- "$$@" "$$f"; done; \
	dlp-agg --merge $(MERGE) -- "$$@" </dev/null | dlp-fmt --tsv $(done)

# A part that is missing now may not have been when total.tsv was made.
.PHONY: kept
kept:
