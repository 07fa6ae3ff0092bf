"""Importing this installs the pretend accelerator: for the server of grading processes, which imports by name."""

import torchstone.pretend

torchstone.pretend.install()
