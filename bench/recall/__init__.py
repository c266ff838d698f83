"""How much of what was said recall finds: `python -m bench.recall`, over long conversations with questions.

The data of the public benchmarks is not part of the project; their files are read from wherever they lie. `bench/data`
holds one small conversation of our own.
"""
