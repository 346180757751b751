# Words of the terminal's screen (cmd/dlp-overview/overview.tab) as objects of the
# viewer: titles of findings by rule, and reasons of idle time by class.
/^text (titles|idle)$/ {
	print "const " $2 "Said = {"
	on = 1
	next
}
on && NF > 0 {
	key = $1
	sub(/^[^ ]+ /, "")
	gsub(/[\\"]/, "\\\\&")
	print "\t\"" key "\": \"" $0 "\","
}
on && NF == 0 {
	print "};"
	on = 0
}
END {
	if (on)
		print "};"
}
