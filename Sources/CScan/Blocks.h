// A block of 16 bytes, and masks with one bit per byte, the first byte lowest. CSCAN_PORTABLE selects the version without vector instructions.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(CSCAN_PORTABLE)
#define CSCAN_INSTRUCTIONS "portable"
#elif defined(__SSE2__)
#include <emmintrin.h>
#define CSCAN_INSTRUCTIONS "SSE2"
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#include <arm_neon.h>
#define CSCAN_INSTRUCTIONS "NEON"
#else
#define CSCAN_PORTABLE
#define CSCAN_INSTRUCTIONS "portable"
#endif

// Returns eight bytes as a number, the first byte lowest.
static inline uint64_t load_word(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

#if defined(CSCAN_PORTABLE)
typedef struct { uint64_t first, second; } Block;

#define EACH_BYTE(byte) ((uint64_t)(byte) * 0x0101010101010101u)
#define HIGH_BITS EACH_BYTE(0x80)

static inline Block load_block(const uint8_t *bytes) {
    return (Block){load_word(bytes), load_word(bytes + 8)};
}

// Gathers the high bits of eight bytes.
static inline uint32_t gather(uint64_t flags) {
    return (uint32_t)(((flags & HIGH_BITS) * 0x0002040810204081u) >> 56);
}

// Sets the high bit of each byte that is at least `least`. The sum cannot carry to the next byte.
static inline uint64_t flag_at_least(uint64_t word, uint8_t least) {
    uint64_t low = (word | HIGH_BITS) - EACH_BYTE(least & 0x7F);
    return least < 0x80 ? word | low : word & low;
}

static inline uint64_t flag_equal(uint64_t word, uint8_t byte) {
    uint64_t other = word ^ EACH_BYTE(byte);
    return ~(((other & ~HIGH_BITS) + ~HIGH_BITS) | other);
}

static inline uint32_t at_least(Block block, uint8_t least) {
    return gather(flag_at_least(block.first, least)) | gather(flag_at_least(block.second, least)) << 8;
}

static inline uint32_t equal(Block block, uint8_t byte) {
    return gather(flag_equal(block.first, byte)) | gather(flag_equal(block.second, byte)) << 8;
}

static inline uint32_t either(Block block, uint8_t one, uint8_t other) {
    return equal(block, one) | equal(block, other);
}

static inline uint64_t flag_special(uint64_t word) {
    return flag_equal(word, '"') | flag_equal(word, '\\') | ~flag_at_least(word, 0x20);
}

static inline uint32_t special(Block block) {
    return gather(flag_special(block.first)) | gather(flag_special(block.second)) << 8;
}

static inline uint32_t high(Block block) {
    return gather(block.first) | gather(block.second) << 8;
}

static inline uint32_t special_or_high(Block block) {
    return gather(flag_special(block.first) | block.first) | gather(flag_special(block.second) | block.second) << 8;
}

// Sets bit 5 of each byte, which makes [ and { equal, and ] and }.
static inline Block lowered(Block block) {
    return (Block){block.first | EACH_BYTE(0x20), block.second | EACH_BYTE(0x20)};
}

#elif defined(__SSE2__)
typedef __m128i Block;

static inline Block load_block(const uint8_t *bytes) {
    return _mm_loadu_si128((const __m128i *)bytes);
}

static inline uint32_t gather(__m128i flags) {
    return (uint32_t)_mm_movemask_epi8(flags);
}

static inline uint32_t at_least(Block block, uint8_t least) {
    return gather(_mm_cmpeq_epi8(_mm_max_epu8(block, _mm_set1_epi8((char)least)), block));
}

static inline uint32_t equal(Block block, uint8_t byte) {
    return gather(_mm_cmpeq_epi8(block, _mm_set1_epi8((char)byte)));
}

static inline uint32_t either(Block block, uint8_t one, uint8_t other) {
    return gather(_mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8((char)one)), _mm_cmpeq_epi8(block, _mm_set1_epi8((char)other))));
}

static inline __m128i flag_special(Block block) {
    __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
    __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1F)), block);
    return _mm_or_si128(_mm_or_si128(quote, backslash), control);
}

// A quote, a backslash or a control character.
static inline uint32_t special(Block block) {
    return gather(flag_special(block));
}

// One of these, or a byte beyond ASCII.
static inline uint32_t special_or_high(Block block) {
    return gather(_mm_or_si128(flag_special(block), block));
}

static inline uint32_t high(Block block) {
    return gather(block);
}

static inline Block lowered(Block block) {
    return _mm_or_si128(block, _mm_set1_epi8(0x20));
}

#else
typedef uint8x16_t Block;

static inline Block load_block(const uint8_t *bytes) {
    return vld1q_u8(bytes);
}

static inline uint32_t gather(uint8x16_t flags) {
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t kept = vandq_u8(flags, vld1q_u8(weights));
    return vaddv_u8(vget_low_u8(kept)) | (uint32_t)vaddv_u8(vget_high_u8(kept)) << 8;
}

static inline uint32_t at_least(Block block, uint8_t least) {
    return gather(vcgeq_u8(block, vdupq_n_u8(least)));
}

static inline uint32_t equal(Block block, uint8_t byte) {
    return gather(vceqq_u8(block, vdupq_n_u8(byte)));
}

static inline uint32_t either(Block block, uint8_t one, uint8_t other) {
    return gather(vorrq_u8(vceqq_u8(block, vdupq_n_u8(one)), vceqq_u8(block, vdupq_n_u8(other))));
}

static inline uint8x16_t flag_special(Block block) {
    uint8x16_t quote = vceqq_u8(block, vdupq_n_u8('"'));
    uint8x16_t backslash = vceqq_u8(block, vdupq_n_u8('\\'));
    uint8x16_t control = vcltq_u8(block, vdupq_n_u8(0x20));
    return vorrq_u8(vorrq_u8(quote, backslash), control);
}

static inline uint32_t special(Block block) {
    return gather(flag_special(block));
}

static inline uint32_t special_or_high(Block block) {
    return gather(vorrq_u8(flag_special(block), vcgeq_u8(block, vdupq_n_u8(0x80))));
}

static inline uint32_t high(Block block) {
    return at_least(block, 0x80);
}

static inline Block lowered(Block block) {
    return vorrq_u8(block, vdupq_n_u8(0x20));
}
#endif
