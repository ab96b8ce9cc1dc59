/*
 * Literals: commands and replies that never change, as they go over the wire, and the first bytes
 * of values. tests-core/resp_test.c checks that each is what it says.
 */
#ifndef OH_LITERAL_H
#define OH_LITERAL_H

#include "core/generated/words.h"

/* The first byte of a value. */
#define OH_RESP_BULK '$'
#define OH_RESP_LIST '*'
#define OH_RESP_MAP '%'
#define OH_RESP_NUMBER ':'
#define OH_RESP_TEXT '+'
#define OH_RESP_ERROR '-'
#define OH_RESP_NULL '_'

/* A command of that many words, and one of its words with its length. */
#define OH_RESP_WORDS(count) "*" #count "\r\n"
#define OH_RESP_WORD(length, word) "$" #length "\r\n" word "\r\n"

/* Commands. */
#define OH_RESP_MULTI OH_RESP_WORDS(1) OH_RESP_WORD(5, "MULTI")
#define OH_RESP_EXEC OH_RESP_WORDS(1) OH_RESP_WORD(4, "EXEC")
#define OH_RESP_DISCARD OH_RESP_WORDS(1) OH_RESP_WORD(7, "DISCARD")
#define OH_RESP_ASKING OH_RESP_WORDS(1) OH_RESP_WORD(6, "ASKING")
#define OH_RESP_PING OH_RESP_WORDS(1) OH_RESP_WORD(4, "PING")
#define OH_RESP_CLUSTER_INFO OH_RESP_WORDS(2) OH_RESP_WORD(7, "CLUSTER") OH_RESP_WORD(4, "INFO")
#define OH_RESP_CLUSTER_SHARDS OH_RESP_WORDS(2) OH_RESP_WORD(7, "CLUSTER") OH_RESP_WORD(6, "SHARDS")
#define OH_RESP_CLUSTER_SLOTS OH_RESP_WORDS(2) OH_RESP_WORD(7, "CLUSTER") OH_RESP_WORD(5, "SLOTS")
#define OH_RESP_EMPTY_PUBLISH                                                                      \
    OH_RESP_WORDS(3)                                                                               \
    OH_RESP_WORD(7, "PUBLISH") OH_RESP_WORD(11, OH_WAIT_CHANNEL) OH_RESP_WORD(0, "")

/* The end of a line and of a word. */
#define OH_RESP_END "\r\n"

/* Replies. */
#define OH_RESP_OK "+OK\r\n"
#define OH_RESP_QUEUED "+QUEUED\r\n"
#define OH_RESP_ZERO ":0\r\n"
#define OH_RESP_ONE ":1\r\n"
#define OH_RESP_NIL "$-1\r\n"
#define OH_RESP_NIL_LIST "*-1\r\n"
#define OH_RESP_EMPTY_LIST "*0\r\n"
#define OH_RESP_LIST_OF_ONE "*1\r\n"

#endif
