#include "Watches.h"
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

double monotonic_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static unsigned int epoll_mask(int what) {
    return (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
}

static int watch(CURL *easy, curl_socket_t socket, int what, void *data, void *unused) {
    (void)easy, (void)unused;
    struct watches *watches = data;
    if (socket < 0 || socket >= (int)sizeof watches->registered) return -1;
    watches->wanted[socket] = what == CURL_POLL_REMOVE ? 0 : (unsigned char)what;
    // A socket that libcurl no longer wants stays registered until something arrives.
    if (watches->wanted[socket] == 0 || watches->wanted[socket] == watches->registered[socket]) return 0;
    struct epoll_event event = {.events = epoll_mask(what), .data.fd = socket};
    int operation = watches->registered[socket] ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    watches->registered[socket] = (unsigned char)what;
    return epoll_ctl(watches->epoll, operation, socket, &event);
}

static int set_timer(CURLM *multi, long milliseconds, void *data) {
    (void)multi;
    struct watches *watches = data;
    watches->deadline = milliseconds < 0 ? -1 : monotonic_seconds() + (double)milliseconds / 1000;
    return 0;
}

int watches_open(struct watches *watches, CURLM *multi) {
    memset(watches, 0, sizeof *watches);
    watches->deadline = -1;
    watches->epoll = epoll_create1(EPOLL_CLOEXEC);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, watches);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, watches);
    return watches->epoll >= 0;
}

void watches_close(struct watches *watches) { close(watches->epoll); }

int watches_closing(void *data, curl_socket_t socket) {
    struct watches *watches = data;
    // The kernel removes the registration with the descriptor.
    if (socket >= 0 && socket < (int)sizeof watches->registered) watches->registered[socket] = watches->wanted[socket] = 0;
    return close(socket);
}

void watches_turn(struct watches *watches, CURLM *multi) {
    struct epoll_event events[256];
    int running, patience = 1000;
    if (watches->deadline >= 0) {
        double left = (watches->deadline - monotonic_seconds()) * 1000;
        patience = left <= 0 ? 0 : left < 1000 ? (int)left + 1 : 1000;
    }
    int count = epoll_wait(watches->epoll, events, 256, patience);
    for (int i = 0; i < count; i++) {
        int socket = events[i].data.fd;
        if (watches->wanted[socket] == 0) {
            // Remove the registration, because the event would be reported repeatedly.
            epoll_ctl(watches->epoll, EPOLL_CTL_DEL, socket, NULL);
            watches->registered[socket] = 0;
            continue;
        }
        int ready = (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR) ? CURL_CSELECT_IN : 0)
            | (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) | (events[i].events & EPOLLERR ? CURL_CSELECT_ERR : 0);
        curl_multi_socket_action(multi, socket, ready, &running);
    }
    if (watches->deadline >= 0 && watches->deadline <= monotonic_seconds()) {
        watches->deadline = -1;
        curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
}
