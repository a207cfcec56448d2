#include "LibFuzzer.h"

static uint64_t steps;

uint64_t catena_steps(void) { return steps; }

// Each ends with a tail call, so that libFuzzer still sees the original caller.
#define COUNT(name, type) \
    void __real___sanitizer_cov_trace_##name(type one, type other); \
    __attribute__((no_sanitize("address", "coverage"))) void __wrap___sanitizer_cov_trace_##name(type one, type other) { \
        steps++; \
        __real___sanitizer_cov_trace_##name(one, other); \
    }

COUNT(cmp1, uint8_t)
COUNT(cmp2, uint16_t)
COUNT(cmp4, uint32_t)
COUNT(cmp8, uint64_t)
COUNT(const_cmp1, uint8_t)
COUNT(const_cmp2, uint16_t)
COUNT(const_cmp4, uint32_t)
COUNT(const_cmp8, uint64_t)
