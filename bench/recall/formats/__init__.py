"""In which formats do benchmarks come? One file each, that turns a file's JSON into a `Corpus`."""
