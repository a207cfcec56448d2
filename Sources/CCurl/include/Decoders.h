// The decoders of content codings, bound at run time to the libraries that libcurl itself loads for them.
#ifndef DECODERS_H
#define DECODERS_H
#ifdef __linux__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { CatenaGzip, CatenaZlib, CatenaDeflate, CatenaBrotli, CatenaZstandard } CatenaCoding;
typedef struct CatenaDecoder CatenaDecoder;

// Returns whether the library for a coding is available.
bool catena_decoder_bind(CatenaCoding coding);
CatenaDecoder *catena_decoder_open(CatenaCoding coding);
// Decodes into `output`, and sets `used` and `made` to the numbers of bytes consumed and produced. Returns 0 if more follows, 1 at the end
// of a stream, and -1 for malformed bytes.
int catena_decoder_step(CatenaDecoder *decoder, const uint8_t *input, size_t *used, uint8_t *output, size_t *made);
// Prepares for another stream after one that has ended.
void catena_decoder_reset(CatenaDecoder *decoder);
void catena_decoder_close(CatenaDecoder *decoder);

// Returns whether zlib can compress.
bool catena_gzip_bind(void);
// Returns the bytes in the format of gzip, which the caller frees, and sets `made` to their number. Returns NULL without zlib or memory.
uint8_t *catena_gzip(const uint8_t *input, size_t length, size_t *made);

#endif
#endif
