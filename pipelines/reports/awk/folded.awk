# Of dlp folded --cpu: what is missing.
{ print }
/^sample\t/ { n++ }
/^##info\tdialect\tkineto$/ { torch = 1 }
/^##note\tpython_stacks_not_exported\t/ { lost = 1 }
END {
	if (lost)
		print "dlp folded: call stacks of Python were recorded, but this" \
		    " export does not have them; nsys export" \
		    " --include-json=true adds them" >"/dev/stderr"
	if (!n)
		print "dlp folded: no " (torch ? "stacks of Python; with_stack=True" \
		    " of torch.profiler records them" : "samples of the CPU;" \
		    " nsys profile --sample=process-tree records them") \
		    >"/dev/stderr"
}
