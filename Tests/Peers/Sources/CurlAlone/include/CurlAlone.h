#pragma once
#include <stddef.h>

// libcurl alone: its multi interface on one thread with epoll. Its cost is the minimum of any client that uses libcurl.

struct curl_alone_load {
    const char *url;
    // A file with the trusted authority, or NULL.
    const char *authority;
    int uses_http2;
    // The number of concurrent transfers.
    int width;
    double warm_up_seconds;
    double seconds;
    // The length that each body must have.
    size_t body_length;
};

struct curl_alone_figures {
    long calls;
    double seconds;
    double processor_seconds;
    long context_switches;
};

// Returns NULL or an error message. Checks the status, the protocol and the body's length of every transfer.
const char *curl_alone_run(const struct curl_alone_load *load, struct curl_alone_figures *figures);
