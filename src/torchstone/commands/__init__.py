"""One thin file per command: the file's name is the command's, its first docstring line the summary in --help."""
