"""Parts of `torchstone bench`: the options that experiments declare, and the help of one."""
