#ifdef __linux__
#define _GNU_SOURCE
#include "Decoders.h"
#include "Binding.h"
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

// The streams of zlib and zstd, as declared by their stable interfaces.
typedef struct {
    const uint8_t *next_in;
    unsigned avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *message;
    void *state, *allocate, *release, *opaque;
    int data_type;
    unsigned long adler, reserved;
} ZlibStream;
typedef struct { const void *bytes; size_t size, position; } ZstandardInput;
typedef struct { void *bytes; size_t size, position; } ZstandardOutput;

static struct {
    int (*init)(ZlibStream *, int, const char *, int);
    int (*step)(ZlibStream *, int);
    int (*reset)(ZlibStream *);
    int (*end)(ZlibStream *);
    int (*begin_deflate)(ZlibStream *, int, int, int, int, int, const char *, int);
    int (*deflate)(ZlibStream *, int);
    int (*end_deflate)(ZlibStream *);
} zlib;

static struct {
    void *(*open)(void *, void *, void *);
    int (*step)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    void (*close)(void *);
} brotli;

static struct {
    void *(*open)(void);
    size_t (*set)(void *, int, int);
    size_t (*step)(void *, ZstandardOutput *, ZstandardInput *);
    unsigned (*is_error)(size_t);
    size_t (*close)(void *);
} zstandard;

#define BIND(function, name) *(void **)&function = catena_find(library, name)

static void bind_all(void) {
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    BIND(zlib.init, "inflateInit2_");
    BIND(zlib.step, "inflate");
    BIND(zlib.reset, "inflateReset");
    BIND(zlib.end, "inflateEnd");
    BIND(zlib.begin_deflate, "deflateInit2_");
    BIND(zlib.deflate, "deflate");
    BIND(zlib.end_deflate, "deflateEnd");
    library = dlopen("libbrotlidec.so.1", RTLD_NOW | RTLD_LOCAL);
    BIND(brotli.open, "BrotliDecoderCreateInstance");
    BIND(brotli.step, "BrotliDecoderDecompressStream");
    BIND(brotli.close, "BrotliDecoderDestroyInstance");
    library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    BIND(zstandard.open, "ZSTD_createDStream");
    BIND(zstandard.set, "ZSTD_DCtx_setParameter");
    BIND(zstandard.step, "ZSTD_decompressStream");
    BIND(zstandard.is_error, "ZSTD_isError");
    BIND(zstandard.close, "ZSTD_freeDStream");
}

static void bind_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, bind_all);
}

bool catena_gzip_bind(void) {
    bind_once();
    return zlib.begin_deflate && zlib.deflate && zlib.end_deflate;
}

// Compresses with a buffer that grows, because a bound for the whole result would be memory that is rarely used.
static uint8_t *compress_all(ZlibStream *stream, const uint8_t *input, size_t length, size_t *made) {
    size_t room = length / 4 + 256, position = 0;
    uint8_t *output = malloc(room);
    for (int result = 0; output && result != 1;) {
        if (!stream->avail_in && position < length) {
            stream->next_in = input + position;
            stream->avail_in = length - position < INT_MAX ? (unsigned)(length - position) : INT_MAX;
            position += stream->avail_in;
        }
        if (*made == room) {
            room *= 2;
            uint8_t *larger = realloc(output, room);
            if (!larger) free(output);
            if (!(output = larger)) break;
        }
        unsigned left = room - *made < INT_MAX ? (unsigned)(room - *made) : INT_MAX;
        stream->next_out = output + *made;
        stream->avail_out = left;
        // 4 ends the stream once there is no more input; 1 reports that it has ended, and -5 asks for more room.
        result = zlib.deflate(stream, position == length ? 4 : 0);
        *made += left - stream->avail_out;
        if (result < 0 && result != -5) {
            free(output);
            output = NULL;
        }
    }
    return output;
}

uint8_t *catena_gzip(const uint8_t *input, size_t length, size_t *made) {
    ZlibStream stream = {0};
    *made = 0;
    // The default level; 8 is the only method, 31 the largest window with the head of gzip, and 8 the usual memory.
    if (!catena_gzip_bind() || zlib.begin_deflate(&stream, -1, 8, 31, 8, 0, "1.2.0", sizeof stream) != 0) return NULL;
    uint8_t *output = compress_all(&stream, input, length, made);
    zlib.end_deflate(&stream);
    return output;
}

bool catena_decoder_bind(CatenaCoding coding) {
    bind_once();
    if (coding == CatenaBrotli) return brotli.open && brotli.step && brotli.close;
    if (coding == CatenaZstandard) return zstandard.open && zstandard.set && zstandard.step && zstandard.is_error && zstandard.close;
    return zlib.init && zlib.step && zlib.reset && zlib.end;
}

struct CatenaDecoder {
    CatenaCoding coding;
    ZlibStream zlib;
    // The state of Brotli or zstd.
    void *state;
};

static bool open_state(CatenaDecoder *decoder) {
    switch (decoder->coding) {
    case CatenaBrotli:
        decoder->state = brotli.open(NULL, NULL, NULL);
        return decoder->state;
    case CatenaZstandard:
        decoder->state = zstandard.open();
        // Limit the window to 8 MB (RFC 9659 §3): parameter 100 is the binary logarithm of its maximum size.
        return decoder->state && !zstandard.is_error(zstandard.set(decoder->state, 100, 23));
    default: {
        // zlib selects the format by an offset added to the window's size, or by its sign.
        int window = decoder->coding == CatenaGzip ? 31 : decoder->coding == CatenaZlib ? 15 : -15;
        return zlib.init(&decoder->zlib, window, "1.2.0", sizeof decoder->zlib) == 0;
    }
    }
}

static void close_state(CatenaDecoder *decoder) {
    if (decoder->coding == CatenaBrotli) {
        if (decoder->state) brotli.close(decoder->state);
    } else if (decoder->coding == CatenaZstandard) {
        zstandard.close(decoder->state);
    } else {
        zlib.end(&decoder->zlib);
    }
}

CatenaDecoder *catena_decoder_open(CatenaCoding coding) {
    if (!catena_decoder_bind(coding)) return NULL;
    CatenaDecoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->coding = coding;
    if (open_state(decoder)) return decoder;
    catena_decoder_close(decoder);
    return NULL;
}

static int step_zlib(ZlibStream *stream, const uint8_t *input, size_t *used, uint8_t *output, size_t *made) {
    unsigned in = *used < INT_MAX ? (unsigned)*used : INT_MAX, out = (unsigned)*made;
    stream->next_in = input;
    stream->avail_in = in;
    stream->next_out = output;
    stream->avail_out = out;
    int result = zlib.step(stream, 0);
    *used = in - stream->avail_in;
    *made = out - stream->avail_out;
    // -5 means that no progress was possible, which is no error.
    return result == 0 || result == -5 ? 0 : result == 1 ? 1 : -1;
}

static int step_brotli(void *state, const uint8_t *input, size_t *used, uint8_t *output, size_t *made) {
    size_t in = *used, out = *made;
    int result = brotli.step(state, &in, &input, &out, &output, NULL);
    *used -= in;
    *made -= out;
    // 2 requests more input, and 3 more room.
    return result == 1 ? 1 : result == 2 || result == 3 ? 0 : -1;
}

static int step_zstandard(void *state, const uint8_t *input, size_t *used, uint8_t *output, size_t *made) {
    ZstandardInput in = {input, *used, 0};
    ZstandardOutput out = {output, *made, 0};
    size_t result = zstandard.step(state, &out, &in);
    *used = in.position;
    *made = out.position;
    return zstandard.is_error(result) ? -1 : result == 0 ? 1 : 0;
}

int catena_decoder_step(CatenaDecoder *decoder, const uint8_t *input, size_t *used, uint8_t *output, size_t *made) {
    switch (decoder->coding) {
    case CatenaBrotli: return step_brotli(decoder->state, input, used, output, made);
    case CatenaZstandard: return step_zstandard(decoder->state, input, used, output, made);
    default: return step_zlib(&decoder->zlib, input, used, output, made);
    }
}

void catena_decoder_reset(CatenaDecoder *decoder) {
    // zstd starts the next frame itself, and nothing may follow a Brotli stream.
    if (decoder->coding != CatenaBrotli && decoder->coding != CatenaZstandard) zlib.reset(&decoder->zlib);
}

void catena_decoder_close(CatenaDecoder *decoder) {
    close_state(decoder);
    free(decoder);
}
#endif
