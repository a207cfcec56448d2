// The version for wider registers, which a processor may lack.
#include <stddef.h>
#include <stdint.h>
// Only on Linux the compiler's library with the properties of the processor is known to be linked.
#if defined(__linux__) && defined(__x86_64__) && defined(__SSE2__) && !defined(CSCAN_PORTABLE)
#define CSCAN_HAS_WIDE
size_t catena_scan_close_widely(const uint8_t *bytes, size_t start, size_t end, size_t levels);
#endif
