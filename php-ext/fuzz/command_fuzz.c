/*
 * Any bytes as the words of a command. Each position that the table gives is the position of a
 * word. The positions are in order, and stay the same if there is no room for all of them. Together
 * the parts of a split have all words of the command.
 */
#include <string.h>

#include "core/command/command.h"
#include "fuzz.h"

/* Words end with a line feed. */
const char *const fuzz_words[] = {"GET\n", "SORT\n", "BY\n", "w_*\n", "LIMIT\n", "STORE\n",
    "GEORADIUS\n", "COUNT\n", "STOREDIST\n", "EVAL\n", "return 1\n", "0\n", "1\n", "2\n",
    "99999999999999999999\n", "-1\n", "XREAD\n", "BLOCK\n", "STREAMS\n", "MIGRATE\n", "\n",
    "KEYS\n", "AUTH2\n", "MSET\n", "MGET\n", "BLPOP\n", "ZUNIONSTORE\n", "LMPOP\n", "XGROUP\n",
    "CREATE\n", "MSETEX\n", "NX\n", "PUBSUB\n", "NUMSUB\n", "OBJECT\n", "ENCODING\n", "k1\n",
    "k2\n", "|", "config|get\n", NULL};

#define WORDS_MAX 256

static size_t read_words(const uint8_t *bytes, size_t length, oh_bytes *words)
{
    size_t count = 0, begin = 0;

    for (size_t at = 0; at < length && count < WORDS_MAX; at++) {
        if (bytes[at] == '\n') {
            words[count++] = (oh_bytes){bytes + begin, at - begin};
            begin = at + 1;
        }
    }
    return count;
}

static void check_keys(const oh_command *command, const oh_bytes *words, size_t count)
{
    oh_key_position positions[WORDS_MAX * 8], fewer[4];
    size_t found, again;

    if (oh_command_keys(command, words, count, positions, WORDS_MAX * 8, &found)) {
        return;
    }
    MUST(found <= WORDS_MAX * 8);
    for (size_t i = 0; i < found; i++) {
        MUST(positions[i].position > 0 && positions[i].position < count);
        MUST(i == 0 || positions[i - 1].position <= positions[i].position);
    }
    MUST(!oh_command_keys(command, words, count, fewer, 4, &again) && again == found);
    for (size_t i = 0; i < found && i < 4; i++) {
        MUST(fewer[i].position == positions[i].position && fewer[i].kind == positions[i].kind);
    }
}

static void check_split(const oh_command *command, const oh_bytes *words, size_t count)
{
    oh_command_shape shape;
    uint32_t nodes[WORDS_MAX];
    oh_bytes part[WORDS_MAX];
    char number[OH_NUMBER_OF_KEYS_BYTES];
    size_t total = 0, parts = 0;

    if (command->spread != OH_SPREAD_SPLIT || oh_command_shape_of(command, words, count, &shape) ||
        oh_command_is_whole(command, words, count)) {
        return;
    }
    for (size_t i = 0; i < shape.keys; i++) {
        nodes[i] = (uint32_t)(words[shape.first + i * shape.step].length % 3);
    }
    for (uint32_t node = 0; node < 3; node++, parts++) {
        size_t length = oh_command_part(&shape, words, nodes, node, part, number);
        MUST(length <= count);
        total += length;
    }
    MUST(total == count + (parts - 1) * (count - shape.keys * shape.step * shape.lists));
}

/*
 * A name may have any bytes. A name with a NUL at its end is unknown, and nothing beyond a similar
 * entry is read.
 */
static void check_name(const oh_bytes *word)
{
    char *name = malloc(word->length + 1);

    MUST(name != NULL);
    for (size_t i = 0; i < word->length; i++) {
        name[i] =
            (char)(word->bytes[i] >= 'A' && word->bytes[i] <= 'Z' ? word->bytes[i] + ('a' - 'A')
                                                                  : word->bytes[i]);
    }
    name[word->length] = '\0';
    const oh_command *command = oh_command_named(name, word->length);
    MUST(!command ||
         (strlen(command->name) == word->length && memcmp(command->name, name, word->length) == 0));
    MUST(oh_command_named(name, word->length + 1) == NULL);
    free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    oh_bytes words[WORDS_MAX] = {{NULL, 0}};
    size_t count = read_words(bytes, length, words);
    const oh_command *command = oh_command_find(words, count);

    if (count > 0) {
        check_name(&words[0]);
    }
    if (command) {
        const oh_bytes *timeout = oh_command_timeout(command, words, count);

        MUST(!timeout || (timeout > words && timeout < words + count));
        check_keys(command, words, count);
        if (command->keys_count == 1) {
            check_split(command, words, count);
        }
    }
    return 0;
}
