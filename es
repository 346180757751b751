dlp events: unknown option '--sort'; dlp events -h shows them
