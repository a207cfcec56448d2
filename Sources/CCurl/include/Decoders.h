// The decoders of content codings, bound at run time to the libraries that libcurl itself loads for them.
#ifndef DECODERS_H
#define DECODERS_H
#ifdef __linux__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { CatenaGzip, CatenaZlib, CatenaDeflate, CatenaBrotli, CatenaZstandard } CatenaCoding;
typedef struct CatenaDecoder CatenaDecoder;

// Whether the library for a coding is there.
bool catena_decoder_bind(CatenaCoding coding);
CatenaDecoder *catena_decoder_open(CatenaCoding coding);
// Decodes into `output`; says how much was used and made, and gives 0 if there is more to come, 1 at the end of a stream, -1 for bytes
// that are no such stream.
int catena_decoder_step(CatenaDecoder *decoder, const uint8_t *input, size_t *used, uint8_t *output, size_t *made);
// Begins another stream behind one that has ended.
void catena_decoder_reset(CatenaDecoder *decoder);
void catena_decoder_close(CatenaDecoder *decoder);

#endif
#endif
