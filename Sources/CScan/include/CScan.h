// Scans JSON in UTF-8, 16 bytes at a time, for Catena's scanner in Swift.
//
// `catena_scan_close` uses registers of 32 bytes where the processor has them; `catena_scan_close_narrowly` never does.
//
// No function reports an error. Text that a function does not accept is scanned again in Swift, which finds the error and its position.
//
// No function reads a byte outside of bytes[0..<end]: a block is loaded only if 16 bytes are left, and the rest is read byte by byte or copied.
#ifndef CSCAN_H
#define CSCAN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A value or a key of a document, by the rules of JSONTape.Entry. `rawKind` is the raw value of a JSONTape.Kind.
typedef struct { uint32_t rawKind, start, length, next, detail; } ScannedEntry;

// Return the offset of the first byte that ends plain text: a quote, a backslash, a control character, the first byte of a malformed sequence, or `end`.
size_t catena_scan_text(const uint8_t *bytes, size_t start, size_t end);
size_t catena_scan_text_portably(const uint8_t *bytes, size_t start, size_t end);

// Return the offset of the first byte that is not white space, or `end`.
size_t catena_scan_space(const uint8_t *bytes, size_t start, size_t end);
size_t catena_scan_space_portably(const uint8_t *bytes, size_t start, size_t end);

// Return the offset of the bracket that closes an array or object whose content begins at `start`. Return `end` if there is none, or if more than
// `levels` containers lie in each other before it. Only strings and brackets are looked at, so the content need not be valid.
size_t catena_scan_close(const uint8_t *bytes, size_t start, size_t end, size_t levels);
size_t catena_scan_close_narrowly(const uint8_t *bytes, size_t start, size_t end, size_t levels);
size_t catena_scan_close_portably(const uint8_t *bytes, size_t start, size_t end, size_t levels);

// Write the entries of a document, and one of kind `absent` after them. Return their number, 0 if the document is not accepted, or more than
// `capacity` if they do not fit. A document that is accepted is valid by RFC 8259, and nested no deeper than 512. `end` is below 2^31.
size_t catena_scan_tape(const uint8_t *bytes, size_t end, ScannedEntry *entries, size_t capacity);
size_t catena_scan_tape_portably(const uint8_t *bytes, size_t end, ScannedEntry *entries, size_t capacity);

// Return whether `catena_scan_tape` accepts a document.
bool catena_scan_accepts(const uint8_t *bytes, size_t end);
bool catena_scan_accepts_portably(const uint8_t *bytes, size_t end);

// Returns the instructions that the functions without `portably` use: "SSE2", "SSE2, AVX2", "NEON" or "portable".
const char *catena_scan_instructions(void);
#endif
