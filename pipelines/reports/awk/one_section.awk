# The sections of a stream as one, so that dlp-agg sorts the records of all; without
# an end if one of them has none.
/^##dlp\t/ {
	open++
	if (begun++)
		next
}
/^##end\t/ { open--; n += $2; next }
{ print }
END { if (begun && !open) print "##end\t" n }
