#pragma once
#include <stddef.h>

// libcurl by itself: its multi interface on one thread, woken by epoll. What any client over libcurl has to pay, and nothing else.

struct curl_alone_load {
    const char *url;
    // A file with the authority to trust, or NULL.
    const char *authority;
    int uses_http2;
    // How many transfers are under way at a time.
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

// NULL, or what went wrong. Every transfer is checked: its status, its protocol and the length of its body.
const char *curl_alone_run(const struct curl_alone_load *load, struct curl_alone_figures *figures);
