// Strings (RFC 8259 §7) and white space, over the blocks of Blocks.h.
#include "Blocks.h"
#include <stdbool.h>

// Returns the length of the well-formed sequence of two to four bytes (Unicode 15, table 3-7) at the start of `count` bytes, or 0.
static size_t sequence_length(const uint8_t *bytes, size_t count) {
    uint8_t lead = bytes[0];
    uint8_t least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    uint8_t most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || count < length || bytes[1] < least || bytes[1] > most) return 0;
    for (size_t place = 2; place < length; place++) {
        if ((bytes[place] & 0xC0) != 0x80) return 0;
    }
    return length;
}

// Returns the number of bytes up to the stop, or up to a sequence that the end of the block cuts off. Returns 0 if a sequence among them is malformed.
//
// - `beyond`: the bytes beyond ASCII, of which one at least is before the stop.
// - `stop`: the lowest of the bytes that end the text, or 0 if there is none.
static inline size_t whole_sequences(Block block, uint32_t beyond, uint32_t stop) {
    uint32_t pairs = at_least(block, 0xC0), triples = at_least(block, 0xE0), quads = at_least(block, 0xF0);
    // The first sequence that the block cuts off, after which there can be none in well-formed text.
    uint32_t limit = stop != 0 ? stop : (pairs & 0x8000) | (triples & 0xC000) | (quads & 0xE000);
    size_t length = limit != 0 ? (size_t)__builtin_ctz(limit) : 16;
    uint32_t inside = (1u << length) - 1;
    uint32_t trails = beyond & ~pairs;
    pairs &= inside;
    triples &= inside;
    quads &= inside;
    uint32_t wanted = pairs << 1 | triples << 2 | quads << 3;
    // Each byte that a lead wants is a trail, and each trail is wanted.
    uint32_t wrong = (wanted & ~trails) | (trails & ~wanted & inside);
    // Overlong sequences, surrogates and numbers beyond U+10FFFF show in their first or second byte.
    if (pairs != triples) wrong |= either(block, 0xC0, 0xC1) & inside;
    if ((either(block, 0xE0, 0xED) & inside) != 0) {
        uint32_t upper = at_least(block, 0xA0);
        wrong |= (equal(block, 0xE0) & inside) << 1 & ~upper;
        wrong |= (equal(block, 0xED) & inside) << 1 & upper;
    }
    if (quads != 0) {
        uint32_t upper = at_least(block, 0x90);
        wrong |= at_least(block, 0xF5) & inside;
        wrong |= (equal(block, 0xF0) & inside) << 1 & ~upper;
        wrong |= (equal(block, 0xF4) & inside) << 1 & upper;
    }
    return wrong != 0 ? 0 : length;
}

// Returns the end of plain text. Sets `is_beyond` if there is a byte beyond ASCII before it.
static inline size_t text_end(const uint8_t *bytes, size_t at, size_t end, bool *is_beyond) {
    while (end - at >= 16) {
        Block block = load_block(bytes + at);
        if (special_or_high(block) == 0) {
            at += 16;
            continue;
        }
        uint32_t stops = special(block), beyond = high(block);
        uint32_t stop = stops & (0u - stops);
        // Without a stop, all bytes are before it.
        if ((beyond & (stop - 1)) == 0) return at + (size_t)__builtin_ctz(stop);
        *is_beyond = true;
        size_t length = whole_sequences(block, beyond, stop);
        // The malformed sequence is found below.
        if (length == 0) break;
        at += length;
        if (stop != 0) return at;
    }
    while (at < end) {
        uint8_t byte = bytes[at];
        if (byte == '"' || byte == '\\' || byte < 0x20) return at;
        size_t length = 1;
        if (byte >= 0x80) {
            *is_beyond = true;
            length = sequence_length(bytes + at, end - at);
            if (length == 0) return at;
        }
        at += length;
    }
    return end;
}

static inline bool is_space(uint8_t byte) {
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

// Returns the first byte from an offset on that is not white space.
static inline size_t space_end(const uint8_t *bytes, size_t at, size_t end) {
    while (end - at >= 16) {
        Block block = load_block(bytes + at);
        uint32_t others = ~(equal(block, ' ') | equal(block, '\n') | equal(block, '\r') | equal(block, '\t')) & 0xFFFF;
        if (others != 0) return at + (size_t)__builtin_ctz(others);
        at += 16;
    }
    while (at < end && is_space(bytes[at])) at++;
    return at;
}
