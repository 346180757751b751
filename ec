dlp events: unknown option '-c'; dlp events -h shows them
