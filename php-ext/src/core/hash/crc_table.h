/*
 * The 256 entries of a CRC table, computed by the compiler.
 *
 * A CRC is linear: the entry of a byte is the exclusive or of the entries of its bits. So eight
 * numbers define the whole table. The including file defines OH_CRC_BIT_0 .. OH_CRC_BIT_7, the
 * entries of the bytes 1, 2, 4 .. 128.
 */
#ifndef OH_HASH_CRC_TABLE_H
#define OH_HASH_CRC_TABLE_H

#define OH_CRC_IF(byte, n) (((byte) >> (n)) & 1 ? OH_CRC_BIT_##n : 0u)
#define OH_CRC_1(byte)                                                                             \
    (OH_CRC_IF(byte, 0) ^ OH_CRC_IF(byte, 1) ^ OH_CRC_IF(byte, 2) ^ OH_CRC_IF(byte, 3) ^           \
        OH_CRC_IF(byte, 4) ^ OH_CRC_IF(byte, 5) ^ OH_CRC_IF(byte, 6) ^ OH_CRC_IF(byte, 7))
#define OH_CRC_4(byte)                                                                             \
    OH_CRC_1(byte), OH_CRC_1((byte) + 1), OH_CRC_1((byte) + 2), OH_CRC_1((byte) + 3)
#define OH_CRC_16(byte)                                                                            \
    OH_CRC_4(byte), OH_CRC_4((byte) + 4), OH_CRC_4((byte) + 8), OH_CRC_4((byte) + 12)
#define OH_CRC_64(byte)                                                                            \
    OH_CRC_16(byte), OH_CRC_16((byte) + 16), OH_CRC_16((byte) + 32), OH_CRC_16((byte) + 48)
#define OH_CRC_TABLE OH_CRC_64(0), OH_CRC_64(64), OH_CRC_64(128), OH_CRC_64(192)

#endif
