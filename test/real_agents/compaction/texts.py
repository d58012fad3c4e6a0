"""Texts inside JSON."""


def texts_in(value):
    """All strings of a JSON value, one a line."""
    if isinstance(value, str):
        return value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return '\n'.join(texts_in(part) for part in parts)
