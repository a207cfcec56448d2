#ifdef __linux__
#define _GNU_SOURCE
#include "Binding.h"
#include "Certificates.h"
#include <string.h>

// If a certificate names no host, libcurl compares the host with its common name. A common name is arbitrary text, and the rules for
// authorities do not restrict it (RFC 9525 §2, RFC 6125 §6.4.4). So such a certificate does not identify a host.

int (*catena_certificates_check)(void *easy, void *context, void *user);

// Declarations of OpenSSL's stable interface, unchanged since 1.1.0. Compare them with its manual, because the compiler does not find a
// wrong one.
static struct {
    void (*SSL_CTX_set_verify)(void *context, int mode, int (*callback)(int, void *));
    long (*SSL_CTX_ctrl)(void *context, int command, long number, void *pointer);
    int (*X509_STORE_CTX_get_error_depth)(const void *store);
    void *(*X509_STORE_CTX_get_current_cert)(const void *store);
    void (*X509_STORE_CTX_set_error)(void *store, int error);
    void *(*X509_get_ext_d2i)(const void *certificate, int kind, int *critical, int *index);
    int (*OPENSSL_sk_num)(const void *stack);
    void *(*OPENSSL_sk_value)(const void *stack, int index);
    void (*GENERAL_NAMES_free)(void *names);
    void *(*X509_STORE_new)(void);
    void (*X509_STORE_free)(void *store);
    int (*X509_STORE_load_locations)(void *store, const char *file, const char *folder);
    int (*X509_STORE_set_flags)(void *store, unsigned long flags);
    void (*SSL_CTX_set1_cert_store)(void *context, void *store);
    void (*SSL_CTX_set_default_read_buffer_len)(void *context, size_t length);
    void (*SSL_set_read_ahead)(void *connection, int is_on);
    int (*SSL_get_read_ahead)(const void *connection);
    int (*SSL_has_pending)(const void *connection);
} openssl;

enum { verify_peer = 1, subject_alternative_name = 85, dns_name = 2, ip_address = 7, application_verification = 50 };
enum { clear_mode = 78, release_buffers = 0x10, get_read_ahead = 40 };
// Two records of the greatest length, with their headers and what the encryption adds (RFC 8446 §5.2, RFC 5246 §6.2.3).
enum { two_records = 2 * (16384 + 320 + 5) };

static int names_hosts(const void *certificate) {
    void *names = openssl.X509_get_ext_d2i(certificate, subject_alternative_name, NULL, NULL);
    if (!names) return 0;
    int found = 0, count = openssl.OPENSSL_sk_num(names);
    for (int i = 0; i < count; i++) {
        // A GENERAL_NAME begins with its type.
        int type = *(int *)openssl.OPENSSL_sk_value(names, i);
        if (type == dns_name || type == ip_address) found = 1;
    }
    openssl.GENERAL_NAMES_free(names);
    return found;
}

// OpenSSL calls this for every certificate of a chain; the server's own is at depth 0. libcurl checks whether a name matches.
static int verify(int is_trusted, void *store) {
    if (!is_trusted || openssl.X509_STORE_CTX_get_error_depth(store) != 0) return is_trusted;
    void *certificate = openssl.X509_STORE_CTX_get_current_cert(store);
    if (certificate && names_hosts(certificate)) return 1;
    openssl.X509_STORE_CTX_set_error(store, application_verification);
    return 0;
}

// The user pointer is NULL, or authorities that replace those loaded by libcurl.
static int check(void *easy, void *context, void *user) {
    (void)easy;
    openssl.SSL_CTX_set_verify(context, verify_peer, verify);
    // Before 8.8, libcurl makes OpenSSL free both 17 KB buffers of a connection whenever they are empty, so each request would allocate
    // them again.
    if (openssl.SSL_CTX_ctrl) openssl.SSL_CTX_ctrl(context, clear_mode, release_buffers, NULL);
    // From 8.15 on, libcurl itself reads ahead, with a longer buffer.
    if (openssl.SSL_has_pending && openssl.SSL_CTX_ctrl && !openssl.SSL_CTX_ctrl(context, get_read_ahead, 0, NULL)) {
        openssl.SSL_CTX_set_default_read_buffer_len(context, two_records);
    }
    if (user) openssl.SSL_CTX_set1_cert_store(context, user);
    return 0;
}

int catena_tls_reads_ahead(void *connection) { return openssl.SSL_has_pending && openssl.SSL_get_read_ahead(connection); }

void catena_tls_read_ahead(void *connection, int is_on) {
    if (openssl.SSL_has_pending) openssl.SSL_set_read_ahead(connection, is_on);
}

int catena_tls_has_unread(void *connection) { return openssl.SSL_has_pending && openssl.SSL_has_pending(connection); }

void *catena_authorities_load(const char *file, const char *folder) {
    // libcurl sets the same flags: X509_V_FLAG_TRUSTED_FIRST and X509_V_FLAG_PARTIAL_CHAIN.
    enum { trusted_first = 0x8000, partial_chain = 0x80000 };
    if (!catena_certificates_check || (!file && !folder)) return NULL;
    void *store = openssl.X509_STORE_new();
    if (!store) return NULL;
    if (openssl.X509_STORE_load_locations(store, file, folder) == 1 && openssl.X509_STORE_set_flags(store, trusted_first | partial_chain) == 1) {
        return store;
    }
    openssl.X509_STORE_free(store);
    return NULL;
}

void catena_authorities_free(void *authorities) { openssl.X509_STORE_free(authorities); }

#define BIND(name) if (!(*(void **)&openssl.name = dlsym(library, #name))) return

// Finds OpenSSL by way of libcurl, because libcurl's OpenSSL need not be the first one in the process.
static void *library_of(void *function) {
    Dl_info place;
    return dladdr(function, &place) ? dlopen(place.dli_fname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) : NULL;
}

void catena_certificates_keep(void *function) { catena_keep_openssl(library_of(function)); }

void catena_certificates_bind(void *function, const char *tls) {
    // The contexts of other TLS libraries are incompatible.
    if (!tls || strncmp(tls, "OpenSSL/", 8) != 0) return;
    void *library = library_of(function);
    if (!library) return;
    BIND(SSL_CTX_set_verify);
    BIND(X509_STORE_CTX_get_error_depth); BIND(X509_STORE_CTX_get_current_cert); BIND(X509_STORE_CTX_set_error);
    BIND(X509_get_ext_d2i);
    BIND(OPENSSL_sk_num); BIND(OPENSSL_sk_value);
    BIND(GENERAL_NAMES_free);
    BIND(X509_STORE_new); BIND(X509_STORE_free); BIND(X509_STORE_load_locations); BIND(X509_STORE_set_flags);
    BIND(SSL_CTX_set1_cert_store);
    // These functions are optional.
    *(void **)&openssl.SSL_CTX_ctrl = dlsym(library, "SSL_CTX_ctrl");
    catena_certificates_check = check;
    BIND(SSL_CTX_set_default_read_buffer_len); BIND(SSL_set_read_ahead); BIND(SSL_get_read_ahead);
    BIND(SSL_has_pending);
}
#endif
