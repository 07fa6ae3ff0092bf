"""Parts of the command `learn` that have a file of their own."""
