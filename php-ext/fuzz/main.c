/*
 * Drives a fuzz target without clang: `target SEED COUNT [file ...]`.
 *
 * First the target gets every file unchanged (so `target 0 0 crash` replays a crash), then COUNT
 * mutants of the files and words. The same seed makes the same mutants. If the target aborts, the
 * mutant that caused this is written to crash-<seed>-<number> in the working directory.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define INPUT_BYTES_MAX 4096
#define INPUTS_MAX 4096

typedef struct {
    uint8_t *bytes;
    size_t length;
} input;

static input inputs[INPUTS_MAX];
static size_t inputs_count;
static size_t words_count;
static uint64_t random_state;

static uint8_t mutant[INPUT_BYTES_MAX];
static size_t mutant_length;
static char crash_name[64];

/* ---- Random numbers ---- */

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

/* ---- Inputs ---- */

static void add_input(const void *bytes, size_t length)
{
    if (inputs_count < INPUTS_MAX) {
        input *it = &inputs[inputs_count++];
        it->bytes = malloc(length + 1);
        it->length = length;
        memcpy(it->bytes, bytes, length);
    }
}

static void add_file(const char *path)
{
    static uint8_t buffer[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    add_input(buffer, fread(buffer, 1, sizeof buffer, file));
    fclose(file);
}

/* ---- Mutations ---- */

static void insert(size_t place, const void *bytes, size_t length)
{
    if (length > INPUT_BYTES_MAX - mutant_length) {
        length = INPUT_BYTES_MAX - mutant_length;
    }
    memmove(mutant + place + length, mutant + place, mutant_length - place);
    memcpy(mutant + place, bytes, length);
    mutant_length += length;
}

static void insert_word(size_t place)
{
    const char *word = fuzz_words[draw(words_count)];
    insert(place, word, strlen(word));
}

static void insert_part(size_t place)
{
    const input *other = &inputs[draw(inputs_count)];
    if (other->length > 0) {
        size_t begin = draw(other->length);
        size_t length = 1 + draw(other->length - begin);
        insert(place, other->bytes + begin, length);
    }
}

static void remove_part(size_t place)
{
    size_t length = draw(draw(2) != 0 ? 4 : mutant_length + 1);
    if (length > mutant_length - place) {
        length = mutant_length - place;
    }
    memmove(mutant + place, mutant + place + length, mutant_length - place - length);
    mutant_length -= length;
}

static void change_byte(size_t place)
{
    if (place < mutant_length) {
        mutant[place] = (uint8_t)(draw(2) != 0 ? mutant[place] ^ 1u << draw(8) : draw(256));
    }
}

static void mutate(void)
{
    const input *parent = &inputs[draw(inputs_count)];
    mutant_length = 0;
    insert(0, parent->bytes, parent->length);
    for (uint64_t steps = 1 + draw(8); steps > 0; steps--) {
        size_t place = draw(mutant_length + 1);
        switch (draw(5)) {
        case 0: insert_part(place); break;
        case 1: remove_part(place); break;
        case 2: mutant_length -= draw(8) == 0 ? draw(mutant_length + 1) : 0; break;
        case 3: insert_word(place); break;
        default: change_byte(place); break;
        }
    }
}

/* ---- Running ---- */

/* Each input has memory of exactly its size, so a sanitizer detects a read beyond it. */
static void run(const uint8_t *bytes, size_t length)
{
    uint8_t *copy = malloc(length > 0 ? length : 1);
    memcpy(copy, bytes, length);
    LLVMFuzzerTestOneInput(copy, length);
    free(copy);
}

static void keep_crash(int signal_number)
{
    int file = open(crash_name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0 && write(file, mutant, mutant_length) >= 0) {
        static const char told[] = "The input that caused this is saved as crash-*.\n";
        (void)!write(STDERR_FILENO, told, sizeof told - 1);
        close(file);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "Usage: %s SEED COUNT [file ...]\n", argv[0]);
        return 2;
    }
    uint64_t seed = strtoull(argv[1], NULL, 10);
    uint64_t count = strtoull(argv[2], NULL, 10);
    for (int i = 3; i < argc; i++) {
        add_file(argv[i]);
        run(inputs[inputs_count - 1].bytes, inputs[inputs_count - 1].length);
    }
    for (; fuzz_words[words_count]; words_count++) {
        add_input(fuzz_words[words_count], strlen(fuzz_words[words_count]));
    }
    signal(SIGABRT, keep_crash);
    snprintf(crash_name, sizeof crash_name, "crash-empty");
    run((const uint8_t *)"", 0);
    random_state = seed * 0x9e3779b97f4a7c15u + 1;
    for (uint64_t i = 0; i < count; i++) {
        snprintf(crash_name, sizeof crash_name, "crash-%llu-%llu", (unsigned long long)seed,
            (unsigned long long)i);
        mutate();
        run(mutant, mutant_length);
    }
    printf("%s: %d files, %llu mutants of seed %llu: nothing found\n", argv[0], argc - 3,
        (unsigned long long)count, (unsigned long long)seed);
    return 0;
}
