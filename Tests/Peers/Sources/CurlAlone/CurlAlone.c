#include "CurlAlone.h"
#include "Watches.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

// A body in one piece, as a caller would receive it. The next transfer reuses its memory.
struct body {
    char *bytes;
    size_t length, capacity;
};

static char failure[512];

static size_t append(char *bytes, size_t size, size_t count, void *data) {
    struct body *body = data;
    size_t length = size * count;
    if (body->length + length > body->capacity) {
        size_t capacity = 2 * (body->length + length);
        char *grown = realloc(body->bytes, capacity);
        if (!grown) return 0;
        body->bytes = grown;
        body->capacity = capacity;
    }
    memcpy(body->bytes + body->length, bytes, length);
    body->length += length;
    return length;
}

static CURL *make_transfer(const struct curl_alone_load *load, struct body *body, struct watches *watches) {
    CURL *easy = curl_easy_init();
    if (!easy) return NULL;
    curl_easy_setopt(easy, CURLOPT_URL, load->url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    if (load->authority) curl_easy_setopt(easy, CURLOPT_CAINFO, load->authority);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, load->uses_http2 ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
    if (load->uses_http2) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, body);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, body);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, watches_closing);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, watches);
    return easy;
}

// Checks the status, the protocol and the body of a finished transfer.
static int check(const struct curl_alone_load *load, const CURLMsg *message, const struct body *body) {
    long status = 0, version = 0;
    curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(message->easy_handle, CURLINFO_HTTP_VERSION, &version);
    long expected = load->uses_http2 ? CURL_HTTP_VERSION_2_0 : CURL_HTTP_VERSION_1_1;
    if (message->data.result == CURLE_OK && status == 200 && version == expected && body->length == load->body_length) return 1;
    snprintf(
        failure, sizeof failure, "%s; status %ld, protocol %ld, %zu bytes", curl_easy_strerror(message->data.result), status, version, body->length);
    return 0;
}

// Keeps all transfers in progress for a number of seconds, and then lets them end.
static int run_for(double seconds, const struct curl_alone_load *load, CURLM *multi, struct watches *watches, CURL **transfers, long *calls) {
    double end = monotonic_seconds() + seconds;
    int pending = load->width;
    *calls = 0;
    for (int i = 0; i < load->width; i++) curl_multi_add_handle(multi, transfers[i]);
    while (pending > 0) {
        watches_turn(watches, multi);
        CURLMsg *message;
        int left;
        while ((message = curl_multi_info_read(multi, &left))) {
            if (message->msg != CURLMSG_DONE) continue;
            struct body *body;
            CURL *easy = message->easy_handle;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&body);
            if (!check(load, message, body)) return 0;
            body->length = 0;
            *calls += 1;
            curl_multi_remove_handle(multi, easy);
            if (monotonic_seconds() < end) curl_multi_add_handle(multi, easy); else pending--;
        }
    }
    return 1;
}

static double processor_seconds(const struct rusage *usage) {
    return (double)usage->ru_utime.tv_sec + (double)usage->ru_stime.tv_sec + (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

static int measure(const struct curl_alone_load *load, struct curl_alone_figures *figures, CURLM *multi, struct watches *watches, CURL **transfers) {
    struct rusage before, after;
    if (!run_for(load->warm_up_seconds, load, multi, watches, transfers, &figures->calls)) return 0;
    getrusage(RUSAGE_SELF, &before);
    double start = monotonic_seconds();
    if (!run_for(load->seconds, load, multi, watches, transfers, &figures->calls)) return 0;
    figures->seconds = monotonic_seconds() - start;
    getrusage(RUSAGE_SELF, &after);
    figures->processor_seconds = processor_seconds(&after) - processor_seconds(&before);
    figures->context_switches = after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw;
    return 1;
}

const char *curl_alone_run(const struct curl_alone_load *load, struct curl_alone_figures *figures) {
    curl_global_init(CURL_GLOBAL_ALL);
    CURLM *multi = curl_multi_init();
    struct watches *watches = malloc(sizeof *watches);
    CURL **transfers = calloc((size_t)load->width, sizeof *transfers);
    struct body *bodies = calloc((size_t)load->width, sizeof *bodies);
    if (!multi || !watches || !transfers || !bodies || !watches_open(watches, multi)) return "There is no memory, or no descriptor.";
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)load->width + 8);
    for (int i = 0; i < load->width; i++) {
        if (!(transfers[i] = make_transfer(load, &bodies[i], watches))) return "libcurl gave no handle.";
    }
    if (!measure(load, figures, multi, watches, transfers)) return failure;
    for (int i = 0; i < load->width; i++) {
        curl_easy_cleanup(transfers[i]);
        free(bodies[i].bytes);
    }
    curl_multi_cleanup(multi);
    watches_close(watches);
    free(watches), free(transfers), free(bodies);
    return NULL;
}
