# A text as a field of a record, and back.
function escape(s) {
	gsub(/\\/, "\\\\\\\\", s)
	gsub(/\t/, "\\t", s)
	gsub(/\n/, "\\n", s)
	return s == "-" ? "\\x2d" : s
}
function unescape(s) {
	gsub(/\\\\/, "\001", s)
	gsub(/\\[tnr]/, " ", s)
	gsub(/\\x2d/, "-", s)
	gsub(/\001/, "\\", s)
	return s
}
