# jq 1.7 keeps the zeros at the end of a number that it only copies.
def plain: if type == "number" then . + 0 else . end;
# The rows of a table, added up by columns: [KEY..., rows, ns].
def sums(table; columns): table as $t |
	[range($t.rows) as $i | {key: [columns[] as $c | $t[$c][$i]],
	    ns: $t.dur_ns[$i]}] | group_by(.key)[] |
	[(.[0].key[] | plain), length, (map(.ns) | add)];
# The rows of a table, of some columns.
def rows(table; columns): table as $t |
	range($t.rows) as $i | [columns[] as $c | $t[$c][$i] | plain];
