// Skips structure 32 bytes at a time, for processors with AVX2.
#include "CScan.h"
#include "Wide.h"
#if defined(CSCAN_HAS_WIDE)
#include <immintrin.h>
#define CSCAN_WIDE
#pragma clang attribute push(__attribute__((target("avx2,popcnt"))), apply_to = function)
#include "Structure.h"

size_t catena_scan_close_widely(const uint8_t *bytes, size_t start, size_t end, size_t levels) {
    return close_of(bytes, start, end, levels);
}
#pragma clang attribute pop
#endif
