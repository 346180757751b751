# A stream whose records do not name their file: a column src, as dlp-parse
# --src writes it. NAME in the environment is the name.
BEGIN {
	name = escape(ENVIRON["NAME"])
	FS = "\t"
}
/^##dlp\t/ { split("", has); any = told = 0 }
# Behind it come the facts of the file.
!/^##(dlp|cmd)\t/ && !told {
	told = 1
	if ($0 !~ /^##info\tsrc\t/)
		print "##info\tsrc\t" name
}
/^##/ { print; next }
/^#/ {
	tag = substr($1, 2)
	has[tag] = $0 ~ /\tsrc(\t|$)/
	any = any || has[tag]
	print has[tag] ? $0 : $0 "\tsrc"
	next
}
any && has[$1] { print; next }
{ print $0 "\t" name }
