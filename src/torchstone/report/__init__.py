"""What people see: the terminal now, pages and posts from run files. Nothing here imports torch."""
