"""Parts of `torchstone ops` that judge nothing here: two atlases beside each other, a device that is not here."""
