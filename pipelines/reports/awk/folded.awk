# Of dlp folded --cpu: what is missing.
{ print }
/^sample\t/ { n++ }
/^##note\tpython_stacks_not_exported\t/ { lost = 1 }
END {
	if (lost)
		print "dlp folded: call stacks of Python were recorded, but this" \
		    " export does not have them; nsys export" \
		    " --include-json=true adds them" >"/dev/stderr"
	if (!n)
		print "dlp folded: no samples of the CPU; nsys profile" \
		    " --sample=process-tree records them" >"/dev/stderr"
}
