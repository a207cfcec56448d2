// The functions of libcurl that the engine needs, bound at the first call to the libraries of the system.
// libcurl's setters are variadic, which Swift cannot call, so each kind of argument has its own function here.
#ifndef CCURL_H
#define CCURL_H
#ifdef __linux__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
// Swift's import of the C library lacks these headers.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "Decoders.h"
#include "Crypto.h"

typedef struct CurlEasy CurlEasy;
typedef struct CurlMulti CurlMulti;
typedef struct CurlShare CurlShare;
typedef struct CurlAddress CurlAddress;

// A header line; the layout of struct curl_slist, which is part of libcurl's stable interface.
typedef struct CurlListNode { char *line; struct CurlListNode *next; } CurlListNode;

// The socket that libcurl requests.
typedef struct { int family, type, protocol; } CurlSocketAddress;

typedef size_t (*CurlDataCallback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*CurlSeekCallback)(void *context, int64_t offset, int origin);
typedef int (*CurlProgressCallback)(void *context, int64_t to_receive, int64_t received, int64_t to_send, int64_t sent);
typedef int (*CurlDebugCallback)(CurlEasy *easy, int kind, char *bytes, size_t size, void *context);
typedef int (*CurlPrerequestCallback)(void *context, char *remote, char *local, int remote_port, int local_port);
typedef int (*CurlOpenSocketCallback)(void *context, int purpose, CurlSocketAddress *address);
typedef int (*CurlCloseSocketCallback)(void *context, int socket);
typedef int (*CurlSocketCallback)(CurlEasy *easy, int socket, int what, void *context, void *socket_context);
typedef int (*CurlTimerCallback)(CurlMulti *multi, long milliseconds, void *context);

// Names the calling thread for tools, with at most 15 bytes.
void catena_thread_name(const char *name);

// Returns libcurl's version as 0xMMmmpp, or 0 if the library or one of the functions is missing.
uint32_t catena_curl_bind(void);
// Return the bits of curl_version_info_data.features, and the TLS library with its version, or NULL without TLS.
int catena_curl_features(void);
const char *catena_curl_tls(void);
// Returns whether catena_easy_require_names has an effect: the functions of libcurl's OpenSSL can be called.
bool catena_curl_checks_names(void);

CurlEasy *catena_easy_init(void);
void catena_easy_cleanup(CurlEasy *easy);
// Resets all options. Connections and shared data are kept.
void catena_easy_reset(CurlEasy *easy);
int catena_easy_pause(CurlEasy *easy, int mask);
const char *catena_easy_error(int code);
int catena_easy_set_long(CurlEasy *easy, int option, long value);
int catena_easy_set_size(CurlEasy *easy, int option, int64_t value);
int catena_easy_set_pointer(CurlEasy *easy, int option, const void *value);
int catena_easy_set_data_callback(CurlEasy *easy, int option, CurlDataCallback callback);
int catena_easy_set_seek_callback(CurlEasy *easy, int option, CurlSeekCallback callback);
int catena_easy_set_prerequest_callback(CurlEasy *easy, int option, CurlPrerequestCallback callback);
int catena_easy_set_open_callback(CurlEasy *easy, int option, CurlOpenSocketCallback callback);
int catena_easy_set_close_callback(CurlEasy *easy, int option, CurlCloseSocketCallback callback);
int catena_easy_set_progress_callback(CurlEasy *easy, int option, CurlProgressCallback callback);
int catena_easy_set_debug_callback(CurlEasy *easy, int option, CurlDebugCallback callback);
// Returns 1 or 0: whether the certificate of the connection that the handle has made names a host. Returns -1 if libcurl does not tell,
// because another handle may have made the connection. Requires the option for certificate information.
int catena_easy_names_hosts(CurlEasy *easy);
// Rejects a server's certificate that names no host, whatever its common name is. Has no effect without OpenSSL.
int catena_easy_require_names(CurlEasy *easy);
// Reads the authorities of a file and of a folder, either of which may be NULL, for any number of connections and threads. The result is
// the context of the check of catena_easy_require_names. NULL if they cannot be read or there is no OpenSSL.
void *catena_authorities_load(const char *file, const char *folder);
void catena_authorities_free(void *authorities);
// Returns the file or the folder that libcurl was built to trust, or NULL if there is none.
const char *catena_easy_usual_authorities(CurlEasy *easy, bool folder);
long catena_easy_get_long(CurlEasy *easy, int info);
int64_t catena_easy_get_size(CurlEasy *easy, int info);
void *catena_easy_get_context(CurlEasy *easy);
int catena_easy_get_socket(CurlEasy *easy, int info);

// Makes TLS read several records of the handle's connection at once, or no longer. Returns whether it does so now. Their bytes wake no socket, so the
// handle has to be asked until it brings nothing.
bool catena_easy_read_ahead(CurlEasy *easy, bool is_on);
// Returns whether TLS has read bytes of the handle's connection that libcurl has not taken. After a response they would pass for the next one.
bool catena_easy_has_unread(CurlEasy *easy);

CurlMulti *catena_multi_init(void);
void catena_multi_cleanup(CurlMulti *multi);
int catena_multi_add(CurlMulti *multi, CurlEasy *easy);
int catena_multi_remove(CurlMulti *multi, CurlEasy *easy);
int catena_multi_action(CurlMulti *multi, int socket, int events);
CurlEasy *catena_multi_next_done(CurlMulti *multi, int *code);
int catena_multi_set_long(CurlMulti *multi, int option, long value);
int catena_multi_set_pointer(CurlMulti *multi, int option, void *value);
int catena_multi_set_socket_callback(CurlMulti *multi, int option, CurlSocketCallback callback);
int catena_multi_set_timer_callback(CurlMulti *multi, int option, CurlTimerCallback callback);

// Creates shared TLS sessions for the transfers of one thread. There are no locks, so only that thread may use them.
CurlShare *catena_share_sessions(void);
void catena_share_cleanup(CurlShare *share);

// Parses an address for any number of handles on any thread, which copy it. Returns NULL if it is invalid.
CurlAddress *catena_address_parse(const char *text);
void catena_address_free(CurlAddress *address);

#endif
#endif
