"""Keys made to measure: for every u32 there is exactly one key of four bytes with that crc32a.

So a test can reach any point of a ring or any slot, from outside and in any implementation.
"""

POLYNOMIAL = 0xEDB88320


def entry(index):
    for _ in range(8):
        index = (index >> 1) ^ (POLYNOMIAL if index & 1 else 0)
    return index


TABLE = [entry(index) for index in range(256)]
BY_TOP_BYTE = {value >> 24: index for index, value in enumerate(TABLE)}


def key_of(value):
    """The key of four bytes whose crc32a is `value`: finds the table entries backwards first."""
    register, entries = value ^ 0xFFFFFFFF, []
    for _ in range(4):
        entries.append(BY_TOP_BYTE[register >> 24])
        register = (register ^ TABLE[entries[-1]]) << 8 & 0xFFFFFFFF
    register, key = 0xFFFFFFFF, bytearray()
    for index in reversed(entries):
        key.append((register ^ index) & 0xFF)
        register = (register >> 8) ^ TABLE[index]
    return bytes(key)
