"""Chapter key: the part of a key that is hashed, and its slot in a Redis Cluster."""

from .hashes import crc16


def hashed_part(key, tag):
    """The part of a key that is hashed under a hash tag of two bytes, or without one."""
    if not tag:
        return key
    start = key.find(tag[:1])
    end = key.find(tag[1:], start + 1) if start >= 0 else -1
    return key[start + 1 : end] if end > start + 1 else key


def slot(key):
    """The slot of a key in a Redis Cluster."""
    return (crc16(hashed_part(key, b"{}")) & 0xFFFF) % 16384
