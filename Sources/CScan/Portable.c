// The functions without vector instructions. Tests compare them with the others on machines that have such instructions.
#define CSCAN_PORTABLE
#include "CScan.h"
#include "Document.h"

size_t catena_scan_text_portably(const uint8_t *bytes, size_t start, size_t end) {
    bool is_beyond = false;
    return text_end(bytes, start, end, &is_beyond);
}

size_t catena_scan_space_portably(const uint8_t *bytes, size_t start, size_t end) {
    return space_end(bytes, start, end);
}

size_t catena_scan_close_portably(const uint8_t *bytes, size_t start, size_t end, size_t levels) {
    return close_of(bytes, start, end, levels);
}

size_t catena_scan_tape_portably(const uint8_t *bytes, size_t end, ScannedEntry *entries, size_t capacity) {
    return tape_of(bytes, end, entries, capacity, true);
}

bool catena_scan_accepts_portably(const uint8_t *bytes, size_t end) {
    return tape_of(bytes, end, NULL, 0, false) != 0;
}
