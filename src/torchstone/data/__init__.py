"""What experiments work on: photographs made on the spot, folders of a person's own, solar cells, text."""
