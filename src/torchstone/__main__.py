"""`python -m torchstone`: the same as the `torchstone` program."""

from torchstone.cli import main

main()
