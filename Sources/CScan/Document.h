// A whole document (RFC 8259 §2), strictly, in one pass and without recursion. The grammar is that of JSONGrammar.swift, which decides in doubt.
#include "CScan.h"
#include "Structure.h"

enum { DEPTH_LIMIT = 512, MANY_KEYS = 32 };

// The raw values of JSONTape.Kind.
enum { KIND_NULL, KIND_FALSE, KIND_TRUE, KIND_INTEGER, KIND_DECIMAL, KIND_STRING, KIND_ESCAPED, KIND_ARRAY, KIND_OBJECT, KIND_IRREGULAR, KIND_ABSENT };

// An open array or object.
typedef struct {
    uint32_t place, count;
    // A Bloom filter with one bit per key, derived from the key's first bytes. A key whose bit is not set is new.
    uint64_t keys;
    bool is_array, is_regular;
} Container;

static inline bool is_digit(uint8_t byte) {
    return (uint8_t)(byte - '0') < 10;
}

static inline size_t digits_end(const uint8_t *bytes, size_t at, size_t end) {
    while (at < end && is_digit(bytes[at])) at++;
    return at;
}

// Returns the end of a number (RFC 8259 §6), or 0. Sets `is_plain` if it has neither fraction nor exponent.
static inline size_t number_end(const uint8_t *bytes, size_t at, size_t end, bool *is_plain) {
    if (bytes[at] == '-') at++;
    size_t first = at;
    at = digits_end(bytes, at, end);
    if (at == first || (bytes[first] == '0' && at - first > 1)) return 0;
    *is_plain = true;
    if (at < end && bytes[at] == '.') {
        *is_plain = false;
        first = ++at;
        at = digits_end(bytes, at, end);
        if (at == first) return 0;
    }
    if (at < end && (bytes[at] | 0x20) == 'e') {
        *is_plain = false;
        if (++at < end && (bytes[at] == '+' || bytes[at] == '-')) at++;
        first = at;
        at = digits_end(bytes, at, end);
        if (at == first) return 0;
    }
    return at;
}

// Returns the number of the four hexadecimal digits of a \uXXXX, or -1.
static int code_unit(const uint8_t *bytes, size_t at, size_t end) {
    if (end - at < 6 || bytes[at] != '\\' || bytes[at + 1] != 'u') return -1;
    int unit = 0;
    for (size_t place = at + 2; place < at + 6; place++) {
        uint8_t letter = bytes[place] | 0x20;
        if (is_digit(bytes[place])) unit = unit << 4 | (bytes[place] - '0');
        else if (letter >= 'a' && letter <= 'f') unit = unit << 4 | (letter - 'a' + 10);
        else return -1;
    }
    return unit;
}

// Returns the end of the escape at an offset, or 0.
static size_t escape_end(const uint8_t *bytes, size_t at, size_t end) {
    if (end - at < 2) return 0;
    switch (bytes[at + 1]) {
    case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't': return at + 2;
    case 'u': break;
    default: return 0;
    }
    int unit = code_unit(bytes, at, end);
    if (unit < 0) return 0;
    if (unit < 0xD800 || unit > 0xDFFF) return at + 6;
    int trail = unit < 0xDC00 ? code_unit(bytes, at + 6, end) : -1;
    return trail >= 0xDC00 && trail <= 0xDFFF ? at + 12 : 0;
}

// The offset of the closing quote of a string, or 0, and whether the string has escapes and bytes beyond ASCII.
typedef struct {
    size_t end;
    bool is_escaped, is_beyond;
} String;

static __attribute__((noinline)) String long_string(const uint8_t *bytes, size_t at, size_t end) {
    String string = {0, false, false};
    for (;;) {
        at = text_end(bytes, at, end, &string.is_beyond);
        if (at == end) return string;
        if (bytes[at] != '\\') break;
        string.is_escaped = true;
        at = escape_end(bytes, at, end);
        if (at == 0) return string;
    }
    if (bytes[at] == '"') string.end = at;
    return string;
}

// Finds the end of the string whose text begins at an offset.
static inline __attribute__((always_inline)) String string_at(const uint8_t *bytes, size_t at, size_t end) {
    // Most strings are short and plain.
    if (end - at >= 16) {
        Block block = load_block(bytes + at);
        uint32_t stops = special(block), stop = stops & (0u - stops);
        if (stop != 0 && (high(block) & (stop - 1)) == 0) {
            size_t quote = at + (size_t)__builtin_ctz(stop);
            if (bytes[quote] == '"') return (String){quote, false, false};
        }
    }
    return long_string(bytes, at, end);
}

static inline bool is_literal(const uint8_t *bytes, size_t at, size_t end, const char *text, size_t length) {
    return end - at >= length && memcmp(bytes + at, text, length) == 0;
}

// Whether an object has a key that is equal to its last one, the entry at `last`.
static bool is_known(const uint8_t *bytes, const ScannedEntry *entries, uint32_t object, uint32_t last) {
    const ScannedEntry *key = &entries[last];
    for (uint32_t place = object + 1; place < last; place = entries[place + 1].next) {
        const ScannedEntry *other = &entries[place];
        if (other->length == key->length && memcmp(bytes + other->start, bytes + key->start, key->length) == 0) return true;
    }
    return false;
}

// Whether an object stays regular with an ASCII key without escapes, the entry at `last`.
static inline bool note_key(const uint8_t *bytes, size_t end, const ScannedEntry *entries, uint32_t last, Container *object) {
    size_t start = entries[last].start, length = entries[last].length;
    uint8_t few[8] = {0};
    uint64_t first;
    if (end - start >= 8) {
        first = load_word(bytes + start);
    } else {
        memcpy(few, bytes + start, end - start);
        first = load_word(few);
    }
    if (length < 8) first &= ((uint64_t)1 << 8 * length) - 1;
    uint64_t bit = (uint64_t)1 << ((first + length) * 0x9E3779B97F4A7C15u >> 58);
    bool may_be_known = (object->keys & bit) != 0;
    object->keys |= bit;
    return object->count < MANY_KEYS && !(may_be_known && is_known(bytes, entries, object->place, last));
}

#define SKIP_SPACE() do { if (at < end && bytes[at] <= ' ') at = space_end(bytes, at, end); } while (0)
#define APPEND(entry_kind, entry_start, entry_length) \
    do { \
        if (!records) break; \
        if (used == capacity) return capacity + 1; \
        entries[used] = (ScannedEntry){(entry_kind), (uint32_t)(entry_start), (uint32_t)(entry_length), (uint32_t)used + 1, 0}; \
        used++; \
    } while (0)

// - `records`: Whether entries are written. If not, the result is 1 for a document that is accepted.
static inline __attribute__((always_inline)) size_t tape_of(
    const uint8_t *bytes, size_t end, ScannedEntry *entries, size_t capacity, const bool records
) {
    Container containers[DEPTH_LIMIT];
    Container *innermost = NULL;
    size_t depth = 0, used = 0, at = 0;
    if (is_literal(bytes, at, end, "\xEF\xBB\xBF", 3)) at = 3;

value:
    SKIP_SPACE();
    if (at == end) return 0;
    if (depth > 0) innermost->count++;
    size_t start = at;
    switch (bytes[at]) {
    case '{': case '[': {
        if (depth == DEPTH_LIMIT) return 0;
        bool is_array = bytes[at] == '[';
        innermost = &containers[depth++];
        *innermost = (Container){(uint32_t)used, 0, 0, is_array, true};
        APPEND(is_array ? KIND_ARRAY : KIND_OBJECT, start, 0);
        at++;
        SKIP_SPACE();
        if (at == end) return 0;
        if (bytes[at] == (is_array ? ']' : '}')) break;
        if (is_array) goto value;
        goto key;
    }
    case '"': {
        String string = string_at(bytes, start + 1, end);
        if (string.end == 0) return 0;
        APPEND(string.is_escaped ? KIND_ESCAPED : KIND_STRING, start + 1, string.end - start - 1);
        at = string.end + 1;
        break;
    }
    case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9': {
        bool is_plain = true;
        at = number_end(bytes, start, end, &is_plain);
        if (at == 0) return 0;
        APPEND(is_plain ? KIND_INTEGER : KIND_DECIMAL, start, at - start);
        break;
    }
    case 't':
        if (!is_literal(bytes, at, end, "true", 4)) return 0;
        APPEND(KIND_TRUE, start, 4);
        at += 4;
        break;
    case 'f':
        if (!is_literal(bytes, at, end, "false", 5)) return 0;
        APPEND(KIND_FALSE, start, 5);
        at += 5;
        break;
    case 'n':
        if (!is_literal(bytes, at, end, "null", 4)) return 0;
        APPEND(KIND_NULL, start, 4);
        at += 4;
        break;
    default: return 0;
    }

next:
    SKIP_SPACE();
    if (depth == 0) {
        if (at < end) return 0;
        if (!records) return 1;
        APPEND(KIND_ABSENT, 0, 0);
        entries[used - 1].next = 0;
        return used;
    }
    if (at == end) return 0;
    if (bytes[at] == ',') {
        at++;
        SKIP_SPACE();
        if (!innermost->is_array) goto key;
        if (at < end && bytes[at] == ']') return 0;
        goto value;
    }
    if (bytes[at] != (innermost->is_array ? ']' : '}')) return 0;
    at++;
    if (records) {
        ScannedEntry *closed = &entries[innermost->place];
        closed->length = (uint32_t)at - closed->start;
        closed->next = (uint32_t)used;
        closed->detail = innermost->is_array ? innermost->count : innermost->place + 1;
        if (!innermost->is_regular) closed->rawKind = KIND_IRREGULAR;
    }
    depth--;
    innermost = depth > 0 ? &containers[depth - 1] : NULL;
    goto next;

key:
    if (at == end || bytes[at] != '"') return 0;
    start = at + 1;
    String string = string_at(bytes, start, end);
    if (string.end == 0) return 0;
    APPEND(string.is_escaped ? KIND_ESCAPED : KIND_STRING, start, string.end - start);
    if (records && innermost->is_regular) {
        innermost->is_regular = !string.is_escaped && !string.is_beyond && note_key(bytes, end, entries, (uint32_t)used - 1, innermost);
    }
    at = string.end + 1;
    SKIP_SPACE();
    if (at == end || bytes[at] != ':') return 0;
    at++;
    goto value;
}
