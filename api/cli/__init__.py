"""The command `loci`: a file for what a command does, where that is more than a call."""
