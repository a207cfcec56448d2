#pragma once
#include <curl/curl.h>

// The sockets of one multi handle in one epoll. A socket stays registered for as long as it is open, as a careful program has it: most transfers on
// a kept connection then need no call of `epoll_ctl`.
struct watches {
    int epoll;
    // What the kernel looks for, and what libcurl wants, by descriptor.
    unsigned char registered[65536], wanted[65536];
    // When libcurl's timer is due, in seconds of the monotonic clock; negative if it is off.
    double deadline;
};

int watches_open(struct watches *watches, CURLM *multi);
void watches_close(struct watches *watches);
// Has libcurl learn of the sockets that are ready, or that its timer is due. Waits until there is something.
void watches_turn(struct watches *watches, CURLM *multi);
// For `CURLOPT_CLOSESOCKETFUNCTION`, with the watches as its data.
int watches_closing(void *watches, curl_socket_t socket);

double monotonic_seconds(void);
