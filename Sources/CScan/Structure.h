// Skips nested structure by its strings and brackets, 64 bytes at a time.
#include "Text.h"

// Masks of 64 bytes.
typedef struct { uint64_t quotes, backslashes, opens, closes; } Marks;

// Structure needs few instructions for each byte, so the width of the registers counts most.
#if defined(CSCAN_WIDE)
static inline uint64_t equal_wide(__m256i block, char byte) {
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(block, _mm256_set1_epi8(byte)));
}

static inline Marks marks_of(const uint8_t *bytes) {
    Marks marks = {0, 0, 0, 0};
    for (int part = 0; part < 2; part++) {
        __m256i block = _mm256_loadu_si256((const __m256i *)(bytes + 32 * part));
        __m256i brackets = _mm256_or_si256(block, _mm256_set1_epi8(0x20));
        marks.quotes |= equal_wide(block, '"') << 32 * part;
        marks.backslashes |= equal_wide(block, '\\') << 32 * part;
        marks.opens |= equal_wide(brackets, '{') << 32 * part;
        marks.closes |= equal_wide(brackets, '}') << 32 * part;
    }
    return marks;
}
#else
static inline Marks marks_of(const uint8_t *bytes) {
    Marks marks = {0, 0, 0, 0};
    for (int part = 0; part < 4; part++) {
        Block block = load_block(bytes + 16 * part), brackets = lowered(block);
        marks.quotes |= (uint64_t)equal(block, '"') << 16 * part;
        marks.backslashes |= (uint64_t)equal(block, '\\') << 16 * part;
        marks.opens |= (uint64_t)equal(brackets, '{') << 16 * part;
        marks.closes |= (uint64_t)equal(brackets, '}') << 16 * part;
    }
    return marks;
}
#endif

// Returns the bytes that a backslash escapes. `carry` is whether the first byte is one of them; it is set for the next 64 bytes.
static inline uint64_t escaped_bytes(uint64_t backslashes, uint64_t *carry) {
    const uint64_t odd = 0xAAAAAAAAAAAAAAAAu;
    // Every other backslash of a run begins an escape, from the first one on. The subtraction lets each run flip the odd bits up to the byte after it.
    uint64_t first = backslashes & ~*carry;
    uint64_t pairs = ((first << 1 | odd) - first) ^ odd;
    uint64_t escaped = pairs ^ (backslashes | *carry);
    *carry = (pairs & backslashes) >> 63;
    return escaped;
}

// Sets each bit that has an odd number of set bits at or below it.
static inline uint64_t parity(uint64_t bits) {
    for (int distance = 1; distance < 64; distance *= 2) bits ^= bits << distance;
    return bits;
}

// Finds the closing bracket, as described in CScan.h.
static inline size_t close_of(const uint8_t *bytes, size_t at, size_t end, size_t levels) {
    uint64_t carry = 0, inside = 0;
    size_t depth = 0;
    uint8_t rest[64];
    while (at < end) {
        const uint8_t *next = bytes + at;
        if (end - at < 64) {
            memset(rest, ' ', 64);
            memcpy(rest, next, end - at);
            next = rest;
        }
        Marks marks = marks_of(next);
        if ((marks.backslashes | carry) != 0) marks.quotes &= ~escaped_bytes(marks.backslashes, &carry);
        // From an opening quote on, up to the byte before the closing one.
        inside ^= parity(marks.quotes);
        uint64_t opens = marks.opens & ~inside, closes = marks.closes & ~inside, brackets = opens | closes;
        inside = (uint64_t)((int64_t)inside >> 63);
        if (brackets != 0) {
            size_t open_count = (size_t)__builtin_popcountll(opens), close_count = (size_t)__builtin_popcountll(closes);
            if (close_count <= depth && depth + open_count <= levels) {
                // Neither the end nor the limit can be among them, in whatever order they are.
                depth += open_count - close_count;
                brackets = 0;
            }
        }
        while (brackets != 0) {
            uint64_t bracket = brackets & (0 - brackets);
            if ((opens & bracket) != 0) {
                if (++depth > levels) return end;
            } else if (depth-- == 0) {
                return at + (size_t)__builtin_ctzll(bracket);
            }
            brackets ^= bracket;
        }
        at += 64;
    }
    return end;
}
