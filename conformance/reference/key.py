"""Chapter key: the part of a key that is hashed, and its slot in a Redis Cluster."""

import re

from .hashes import crc16


def hashed_part(key, tag):
    """The part of a key that is hashed under a hash tag of two bytes, or without one."""
    if not tag:
        return key
    start = key.find(tag[:1])
    end = key.find(tag[1:], start + 1) if start >= 0 else -1
    return key[start + 1 : end] if end > start + 1 else key


LINE_END = rb"\n|\r|\xc2\x85|\xe2\x80[\xa8\xa9]"


def lazily_tagged(key, tag):
    """Section 4: the part of a key that is hashed under a tag of Jedis."""
    try:
        key.decode()
    except UnicodeDecodeError:
        return key
    opening, closing = re.escape(tag[:1]), re.escape(tag[1:])
    found = re.search(opening + b"((?:(?!" + LINE_END + rb")[\0-\xff])+?)" + closing, key)
    return found[1] if found else key


def loosely_tagged(key):
    """Section 5: the part between the first { and the first } after it, which may be empty."""
    start = key.find(b"{")
    end = key.find(b"}", start + 1) if start >= 0 else -1
    return key[start + 1 : end] if end >= 0 else key


def slot(key):
    """The slot of a key in a Redis Cluster."""
    return (crc16(hashed_part(key, b"{}")) & 0xFFFF) % 16384
