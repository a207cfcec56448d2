#pragma once
#include <curl/curl.h>

// The sockets of one multi handle in one epoll. A socket stays registered while it is open, so that most transfers on a kept connection need no call of
// `epoll_ctl`.
struct watches {
    int epoll;
    // The events that the kernel reports and those that libcurl wants, by descriptor.
    unsigned char registered[65536], wanted[65536];
    // The time at which libcurl's timer is due, in seconds of the monotonic clock. Negative if the timer is off.
    double deadline;
};

int watches_open(struct watches *watches, CURLM *multi);
void watches_close(struct watches *watches);
// Waits for ready sockets or the timer, and reports them to libcurl.
void watches_turn(struct watches *watches, CURLM *multi);
// The `CURLOPT_CLOSESOCKETFUNCTION`, with the watches as its data.
int watches_closing(void *watches, curl_socket_t socket);

double monotonic_seconds(void);
