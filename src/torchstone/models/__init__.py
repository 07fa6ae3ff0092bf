"""The models and data that the experiments use: a zoo of models, a person's own model, photographs, token ids.

Nothing here measures and nothing here is downloaded: models are built from code or from a config, weights and data
come with pip (`torchstone[bench]`) or from the person's own disk, and the rest is made on the spot from a seed.
"""
