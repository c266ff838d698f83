"""The formats of benchmarks: one file each, that turns a file's JSON into a `Corpus`."""
