# dlp-batch.mk: reports of many profiles, by make. See dlp-batch(7).
#
# usage: make -f dlp-batch.mk -j8 run1.kernel.csv run2.top.json run1.dlp
#	 make -f dlp-batch.mk -j8 REPORTS='kernel ops' FORMATS=csv
#	 make -f dlp-batch.mk -j8 total.tsv
#
# NAME.REPORT.FORMAT is made from NAME.sqlite, NAME.sqlite.xz or NAME.nsys-rep
# (with nsys) by "dlp REPORT --FORMAT"; NAME.dlp is the stream of dlp-flops,
# NAME.part the partial result of dlp-agg, total.tsv the merge of all of these.
# "all" makes every REPORT in every FORMAT of each profile in $(DIR).
#
# A target is moved into place when it is whole, so that no failure, and no
# kill, leaves a half one. No pipefail is needed: a stage that fails leaves
# its stream without an end, and the last one exits 2. Names of files with
# blanks are not possible in make.

DIR = .
REPORTS = top
FORMATS = csv
# What options a report gets: FLAGS_iters = -k iteration
FLAGS_stats = -r cuda_gpu_kern_sum,cuda_api_sum
# How profiles are aggregated for .part, and what becomes of their merge.
AGG = -T kern -g op,short -a count,sum,max -f dur_ns
MERGE = --sort -sum

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

# To a name beside the target, which becomes it in the end.
done = >$@.$$$$.tmp && mv -f $@.$$$$.tmp $@ || { rm -f $@.$$$$.tmp; exit 2; }

define batch_rule
%.$(1).$(2): %.$(3)
	@dlp $(1) $(call how,$(1),$(2)) $$(FLAGS_$(1)) -- $$< $$(done)
endef
$(foreach r,$(BATCH_REPORTS),$(foreach f,$(BATCH_FORMATS),$(foreach \
	s,sqlite sqlite.xz,$(eval $(call batch_rule,$(r),$(f),$(s))))))

define stream_rule
%.dlp: %.$(1)
	@dlp-parse -- $$< | dlp-correlate | dlp-flops $$(done)

%.part: %.$(1)
	@dlp-parse --src -- $$< | dlp-correlate | dlp-flops | \
		dlp-agg --partial $$(AGG) $$(done)
endef
$(foreach s,sqlite sqlite.xz,$(eval $(call stream_rule,$(s))))

# An export is kept: it takes longer than all else.
.PRECIOUS: %.sqlite
%.sqlite: %.nsys-rep
	@nsys export --type sqlite --force-overwrite true \
		--output $@.$$$$.tmp $< >/dev/null && mv -f $@.$$$$.tmp $@ || \
		{ rm -f $@.$$$$.tmp; exit 2; }

BATCH_NAMES := $(sort $(foreach s,.sqlite .sqlite.xz .nsys-rep,$(patsubst \
	%$(s),%,$(wildcard $(DIR)/*$(s)))))
BATCH_NAMES := $(BATCH_NAMES:./%=%)

all: $(foreach n,$(BATCH_NAMES),$(foreach r,$(REPORTS),$(foreach \
	f,$(FORMATS),$(n).$(r).$(f))))

total.tsv: $(BATCH_NAMES:=.part)
	@dlp-agg --merge $(MERGE) $^ | dlp-fmt --tsv $(done)
