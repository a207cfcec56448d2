#include "CScan.h"
#include "Document.h"
#include "Wide.h"

size_t catena_scan_text(const uint8_t *bytes, size_t start, size_t end) {
    bool is_beyond = false;
    return text_end(bytes, start, end, &is_beyond);
}

size_t catena_scan_space(const uint8_t *bytes, size_t start, size_t end) {
    return space_end(bytes, start, end);
}

size_t catena_scan_close_narrowly(const uint8_t *bytes, size_t start, size_t end, size_t levels) {
    return close_of(bytes, start, end, levels);
}

#if defined(CSCAN_HAS_WIDE)
// Not decided when it compiles, because a program for any x86-64 must not need AVX2.
static bool has_wide(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
}
#endif

size_t catena_scan_close(const uint8_t *bytes, size_t start, size_t end, size_t levels) {
#if defined(CSCAN_HAS_WIDE)
    if (has_wide()) return catena_scan_close_widely(bytes, start, end, levels);
#endif
    return close_of(bytes, start, end, levels);
}

size_t catena_scan_tape(const uint8_t *bytes, size_t end, ScannedEntry *entries, size_t capacity) {
    return tape_of(bytes, end, entries, capacity, true);
}

bool catena_scan_accepts(const uint8_t *bytes, size_t end) {
    return tape_of(bytes, end, NULL, 0, false) != 0;
}

const char *catena_scan_instructions(void) {
#if defined(CSCAN_HAS_WIDE)
    if (has_wide()) return CSCAN_INSTRUCTIONS ", AVX2";
#endif
    return CSCAN_INSTRUCTIONS;
}
