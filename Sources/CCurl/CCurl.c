#ifdef __linux__
#define _GNU_SOURCE
#include "Binding.h"
#include "CCurl.h"
#include "Certificates.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int (*global_init)(long);
    void *(*version_info)(int);
    CurlEasy *(*easy_init)(void);
    void (*easy_cleanup)(CurlEasy *);
    void (*easy_reset)(CurlEasy *);
    int (*easy_setopt)(CurlEasy *, int, ...);
    int (*easy_getinfo)(CurlEasy *, int, ...);
    int (*easy_pause)(CurlEasy *, int);
    const char *(*easy_strerror)(int);
    CurlMulti *(*multi_init)(void);
    int (*multi_cleanup)(CurlMulti *);
    int (*multi_add_handle)(CurlMulti *, CurlEasy *);
    int (*multi_remove_handle)(CurlMulti *, CurlEasy *);
    int (*multi_socket_action)(CurlMulti *, int, int, int *);
    void *(*multi_info_read)(CurlMulti *, int *);
    int (*multi_setopt)(CurlMulti *, int, ...);
    CurlShare *(*share_init)(void);
    int (*share_setopt)(CurlShare *, int, ...);
    int (*share_cleanup)(CurlShare *);
    CurlAddress *(*url)(void);
    int (*url_set)(CurlAddress *, int, const char *, unsigned);
    void (*url_cleanup)(CurlAddress *);
} curl;

static uint32_t curl_version;
static int curl_features;
static const char *curl_tls;

#define BIND(name) if (!(*(void **)&curl.name = catena_find(library, "curl_" #name))) return

static void bind_curl(void) {
    // Its libraries are bound as far as they are used, because they have thousands of functions.
    void *library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    BIND(global_init); BIND(version_info);
    BIND(easy_init); BIND(easy_cleanup); BIND(easy_reset); BIND(easy_setopt); BIND(easy_getinfo); BIND(easy_pause); BIND(easy_strerror);
    BIND(multi_init); BIND(multi_cleanup); BIND(multi_add_handle); BIND(multi_remove_handle);
    BIND(multi_socket_action); BIND(multi_info_read); BIND(multi_setopt);
    BIND(share_init); BIND(share_setopt); BIND(share_cleanup);
    BIND(url); BIND(url_set); BIND(url_cleanup);
    catena_certificates_keep((void *)curl.easy_init);
    if (curl.global_init(3) != 0) return;
    struct { int age; const char *text; unsigned number; const char *host; int features; const char *tls; } *info = curl.version_info(0);
    if (!info) return;
    curl_version = info->number;
    curl_features = info->features;
    curl_tls = info->tls;
    catena_certificates_bind((void *)curl.easy_init, info->tls);
}

void catena_thread_name(const char *name) { pthread_setname_np(pthread_self(), name); }

uint32_t catena_curl_bind(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, bind_curl);
    return curl_version;
}

int catena_curl_features(void) { return curl_features; }
const char *catena_curl_tls(void) { return curl_tls; }
bool catena_curl_checks_names(void) { return catena_certificates_check != NULL; }

CurlEasy *catena_easy_init(void) { return curl.easy_init(); }
void catena_easy_cleanup(CurlEasy *easy) { curl.easy_cleanup(easy); }
void catena_easy_reset(CurlEasy *easy) { curl.easy_reset(easy); }
int catena_easy_pause(CurlEasy *easy, int mask) { return curl.easy_pause(easy, mask); }
const char *catena_easy_error(int code) { return curl.easy_strerror(code); }

int catena_easy_set_long(CurlEasy *e, int o, long v) { return curl.easy_setopt(e, o, v); }
int catena_easy_set_size(CurlEasy *e, int o, int64_t v) { return curl.easy_setopt(e, o, v); }
int catena_easy_set_pointer(CurlEasy *e, int o, const void *v) { return curl.easy_setopt(e, o, v); }
int catena_easy_set_data_callback(CurlEasy *e, int o, CurlDataCallback c) { return curl.easy_setopt(e, o, c); }
int catena_easy_set_seek_callback(CurlEasy *e, int o, CurlSeekCallback c) { return curl.easy_setopt(e, o, c); }
int catena_easy_set_prerequest_callback(CurlEasy *e, int o, CurlPrerequestCallback c) { return curl.easy_setopt(e, o, c); }
int catena_easy_set_open_callback(CurlEasy *e, int o, CurlOpenSocketCallback c) { return curl.easy_setopt(e, o, c); }
int catena_easy_set_close_callback(CurlEasy *e, int o, CurlCloseSocketCallback c) { return curl.easy_setopt(e, o, c); }

int catena_easy_set_progress_callback(CurlEasy *e, int o, CurlProgressCallback c) { return curl.easy_setopt(e, o, c); }
int catena_easy_set_debug_callback(CurlEasy *e, int o, CurlDebugCallback c) { return curl.easy_setopt(e, o, c); }

int catena_easy_require_names(CurlEasy *easy) {
    enum { tls_context_callback = 20108 };
    return catena_certificates_check ? curl.easy_setopt(easy, tls_context_callback, catena_certificates_check) : 0;
}

const char *catena_easy_usual_authorities(CurlEasy *easy, bool folder) {
    enum { usual_file = 0x10003D, usual_folder = 0x10003E };
    const char *path = NULL;
    curl.easy_getinfo(easy, folder ? usual_folder : usual_file, &path);
    return path;
}

long catena_easy_get_long(CurlEasy *e, int info) { long v = 0; curl.easy_getinfo(e, info, &v); return v; }
int64_t catena_easy_get_size(CurlEasy *e, int info) { int64_t v = 0; curl.easy_getinfo(e, info, &v); return v; }
void *catena_easy_get_context(CurlEasy *e) {
    enum { private_context = 0x100015 };
    void *v = NULL;
    curl.easy_getinfo(e, private_context, &v);
    return v;
}
int catena_easy_names_hosts(CurlEasy *easy) {
    enum { certificate_information = 0x400022 };
    static const char label[] = "X509v3 Subject Alternative Name:";
    // The layout of struct curl_certinfo, which is part of libcurl's stable interface.
    struct { int count; CurlListNode **lists; } *chain = NULL;
    curl.easy_getinfo(easy, certificate_information, &chain);
    if (!chain || chain->count < 1) return -1;
    // The server's own certificate is the first one.
    for (CurlListNode *node = chain->lists[0]; node; node = node->next) {
        if (strncmp(node->line, label, sizeof label - 1) != 0) continue;
        const char *names = node->line + sizeof label - 1;
        if (strstr(names, "DNS:") || strstr(names, "IP Address:")) return 1;
    }
    return 0;
}

// Returns OpenSSL's connection of a handle to the server, or NULL if it has none.
static void *tls_of(CurlEasy *easy) {
    enum { tls_session = 0x40002d, openssl = 1 };
    // The layout of struct curl_tlssessioninfo, which is part of libcurl's stable interface.
    struct { int library; void *connection; } *session = NULL;
    if (!catena_certificates_check || curl.easy_getinfo(easy, tls_session, &session) != 0 || !session) return NULL;
    return session->library == openssl ? session->connection : NULL;
}

bool catena_easy_read_ahead(CurlEasy *easy, bool is_on) {
    void *connection = tls_of(easy);
    // A libcurl that always reads ahead itself asks for what has been read.
    if (!connection || (is_on && catena_tls_reads_ahead(connection))) return false;
    catena_tls_read_ahead(connection, is_on);
    return catena_tls_reads_ahead(connection);
}

bool catena_easy_has_unread(CurlEasy *easy) {
    void *connection = tls_of(easy);
    return connection && catena_tls_has_unread(connection);
}

int catena_easy_get_socket(CurlEasy *e, int info) { int v = -1; curl.easy_getinfo(e, info, &v); return v; }

CurlMulti *catena_multi_init(void) { return curl.multi_init(); }
void catena_multi_cleanup(CurlMulti *multi) { curl.multi_cleanup(multi); }
int catena_multi_add(CurlMulti *multi, CurlEasy *easy) { return curl.multi_add_handle(multi, easy); }
int catena_multi_remove(CurlMulti *multi, CurlEasy *easy) { return curl.multi_remove_handle(multi, easy); }
int catena_multi_action(CurlMulti *m, int s, int events) { int running; return curl.multi_socket_action(m, s, events, &running); }

CurlEasy *catena_multi_next_done(CurlMulti *multi, int *code) {
    int left;
    struct { int message; CurlEasy *easy; union { void *any; int code; } data; } *done;
    while ((done = curl.multi_info_read(multi, &left))) {
        if (done->message != 1) continue;
        *code = done->data.code;
        return done->easy;
    }
    return NULL;
}

int catena_multi_set_long(CurlMulti *m, int o, long v) { return curl.multi_setopt(m, o, v); }
int catena_multi_set_pointer(CurlMulti *m, int o, void *v) { return curl.multi_setopt(m, o, v); }
int catena_multi_set_socket_callback(CurlMulti *m, int o, CurlSocketCallback c) { return curl.multi_setopt(m, o, c); }
int catena_multi_set_timer_callback(CurlMulti *m, int o, CurlTimerCallback c) { return curl.multi_setopt(m, o, c); }

CurlShare *catena_share_sessions(void) {
    enum { share_option = 1, tls_sessions = 4, not_built_in = 5 };
    CurlShare *share = curl.share_init();
    if (!share) return NULL;
    int result = curl.share_setopt(share, share_option, tls_sessions);
    // Without TLS there are no sessions to share.
    if (result != 0 && result != not_built_in) {
        curl.share_cleanup(share);
        return NULL;
    }
    return share;
}

void catena_share_cleanup(CurlShare *share) { curl.share_cleanup(share); }

CurlAddress *catena_address_parse(const char *text) {
    enum { whole_address = 0 };
    CurlAddress *address = curl.url();
    if (address && curl.url_set(address, whole_address, text, 0) != 0) {
        curl.url_cleanup(address);
        return NULL;
    }
    return address;
}

void catena_address_free(CurlAddress *address) { curl.url_cleanup(address); }
#endif
