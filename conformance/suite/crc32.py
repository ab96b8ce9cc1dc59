"""Keys made to measure: every u32 is the crc32a of exactly one key of four bytes.

With it any place of a ring or of a row of slots can be asked for, from outside, in any implementation.
"""

POLYNOMIAL = 0xEDB88320


def entry(index):
    for _ in range(8):
        index = (index >> 1) ^ (POLYNOMIAL if index & 1 else 0)
    return index


TABLE = [entry(index) for index in range(256)]
BY_TOP_BYTE = {value >> 24: index for index, value in enumerate(TABLE)}


def key_of(value):
    """The key of four bytes whose crc32a is `value`: backwards to learn the table entries, then forwards."""
    register, entries = value ^ 0xFFFFFFFF, []
    for _ in range(4):
        entries.append(BY_TOP_BYTE[register >> 24])
        register = (register ^ TABLE[entries[-1]]) << 8 & 0xFFFFFFFF
    register, key = 0xFFFFFFFF, bytearray()
    for index in reversed(entries):
        key.append((register ^ index) & 0xFF)
        register = (register >> 8) ^ TABLE[index]
    return bytes(key)
