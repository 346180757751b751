dlp events: --tsv: this report is no table
