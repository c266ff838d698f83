"""Keys in paths, which may hold slashes, as they are or percent-encoded."""

from starlette.convertors import PathConvertor, register_url_convertor


class KeyConvertor(PathConvertor):
    """Starlette's own path ends before a line break, so that a key with one would be another key, or none."""

    regex = "(?s:.*)"


register_url_convertor("key", KeyConvertor())
UNDER_KEY = "/{key:key}"
