# Of dlp gaps: the totals of whole gaps, under the names of the others.
$1 == "#total" { gsub("whole_", "dur_") }
