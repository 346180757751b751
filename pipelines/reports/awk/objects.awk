# The objects of JSON that dlp-overview wrote, of several files in one object.
# A line ##dlp says that a file failed.
BEGIN {
	if (files > 1)
		print "{\"version\": 1, \"files\": ["
}
/^##/ { failed = 1; next }
$0 == "{" && n++ { print "," }
{ print }
END {
	if (files > 1)
		print "]}"
	exit failed ? 2 : 0
}
