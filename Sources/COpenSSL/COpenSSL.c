#ifdef __linux__
#define _GNU_SOURCE
#include "COpenSSL.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// Declarations of OpenSSL's stable interface (libssl.so.3), in which objects are opaque. Compare them with its manual, because the compiler
// does not find a wrong one.
typedef int (*ProtocolChoice)(void *, const unsigned char **, unsigned char *, const unsigned char *, unsigned, void *);

#define FUNCTIONS(X) \
    X(int, OPENSSL_init_crypto, (uint64_t, const void *)) \
    X(void, ERR_clear_error, (void)) \
    X(int, RAND_bytes, (unsigned char *, int)) \
    X(void *, EVP_PKEY_CTX_new_id, (int, void *)) \
    X(int, EVP_PKEY_keygen_init, (void *)) \
    X(int, EVP_PKEY_CTX_set_group_name, (void *, const char *)) \
    X(int, EVP_PKEY_keygen, (void *, void **)) \
    X(void, EVP_PKEY_CTX_free, (void *)) \
    X(void, EVP_PKEY_free, (void *)) \
    X(const void *, EVP_sha256, (void)) \
    X(int, EVP_Digest, (const void *, size_t, unsigned char *, unsigned *, const void *, void *)) \
    X(int, i2d_PUBKEY, (const void *, unsigned char **)) \
    X(void *, X509_new, (void)) \
    X(void, X509_free, (void *)) \
    X(int, X509_set_version, (void *, long)) \
    X(void *, X509_get_serialNumber, (void *)) \
    X(int, ASN1_INTEGER_set_uint64, (void *, uint64_t)) \
    X(void *, X509_getm_notBefore, (const void *)) \
    X(void *, X509_getm_notAfter, (const void *)) \
    X(void *, X509_gmtime_adj, (void *, long)) \
    X(int, X509_set_pubkey, (void *, void *)) \
    X(void *, X509_get_subject_name, (const void *)) \
    X(int, X509_NAME_add_entry_by_txt, (void *, const char *, int, const unsigned char *, int, int, int)) \
    X(int, X509_set_issuer_name, (void *, const void *)) \
    X(void *, X509V3_EXT_conf_nid, (void *, void *, int, const char *)) \
    X(int, X509_add_ext, (void *, void *, int)) \
    X(void, X509_EXTENSION_free, (void *)) \
    X(int, X509_sign, (void *, void *, const void *)) \
    X(int, PEM_write_bio_X509, (void *, void *)) \
    X(const void *, BIO_s_mem, (void)) \
    X(void *, BIO_new, (const void *)) \
    X(int, BIO_free, (void *)) \
    X(int, BIO_read, (void *, void *, int)) \
    X(int, BIO_write, (void *, const void *, int)) \
    X(size_t, BIO_ctrl_pending, (void *)) \
    X(const void *, TLS_server_method, (void)) \
    X(void *, SSL_CTX_new, (const void *)) \
    X(void, SSL_CTX_free, (void *)) \
    X(void, SSL_CTX_set_alpn_select_cb, (void *, ProtocolChoice, void *)) \
    X(long, SSL_CTX_ctrl, (void *, int, long, void *)) \
    X(void, SSL_CTX_set_security_level, (void *, int)) \
    X(int, SSL_CTX_use_certificate, (void *, void *)) \
    X(int, SSL_CTX_use_PrivateKey, (void *, void *)) \
    X(void *, SSL_CTX_get0_privatekey, (const void *)) \
    X(void *, SSL_new, (void *)) \
    X(void, SSL_free, (void *)) \
    X(void, SSL_set_bio, (void *, void *, void *)) \
    X(void *, SSL_get_rbio, (const void *)) \
    X(void *, SSL_get_wbio, (const void *)) \
    X(void, SSL_set_accept_state, (void *)) \
    X(int, SSL_read, (void *, void *, int)) \
    X(int, SSL_write, (void *, const void *, int)) \
    X(int, SSL_shutdown, (void *)) \
    X(int, SSL_get_error, (const void *, int))

#define DECLARE(result, name, arguments) static result (*name) arguments;
FUNCTIONS(DECLARE)

static bool is_bound;

// The address sanitizer aborts a program that opens a library with RTLD_DEEPBIND.
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if __has_feature(address_sanitizer)
enum { own_first = 0 };
#else
enum { own_first = RTLD_DEEPBIND };
#endif

// Binds the functions. The library is never closed. A copy that libcurl has loaded already is the same one. Its dependency libcrypto is
// searched with it.
static void bind_openssl(void) {
    // Search its own libcrypto first, because libcurl may load another OpenSSL with the same function names.
    void *library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL | own_first);
    if (!library) return;
#define BIND(result, name, arguments) if (!(*(void **)&name = dlsym(library, #name))) return;
    FUNCTIONS(BIND)
    // Without this, OpenSSL frees its state when the process begins to exit, while servers still run on other threads.
    enum { no_cleanup_at_exit = 0x00080000 };
    OPENSSL_init_crypto(no_cleanup_at_exit, NULL);
    is_bound = true;
}

bool catena_tls_bind(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, bind_openssl);
    return is_bound;
}

// MARK: Keys and certificates

struct CatenaTLSAuthority { void *key, *certificate; };

enum { elliptic_curve = 408, basic_constraints = 87, key_usage = 83, extended_key_usage = 126, subject_alternative_name = 85 };

static void *new_key(void) {
    void *key = NULL, *context = EVP_PKEY_CTX_new_id(elliptic_curve, NULL);
    // A failed generation leaves the key NULL.
    if (context && EVP_PKEY_keygen_init(context) > 0 && EVP_PKEY_CTX_set_group_name(context, "P-256") > 0) EVP_PKEY_keygen(context, &key);
    EVP_PKEY_CTX_free(context);
    return key;
}

static bool add_extension(void *certificate, int kind, const char *value) {
    void *extension = X509V3_EXT_conf_nid(NULL, NULL, kind, value);
    bool is_added = extension && X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return is_added;
}

// Makes a certificate without extensions, issuer and signature.
static void *new_certificate(void *key, const char *name, long from, long until) {
    void *certificate = X509_new();
    uint64_t serial;
    if (certificate && RAND_bytes((unsigned char *)&serial, sizeof serial) > 0
        // Version 3. A serial number is positive and has at most 20 bytes (RFC 5280 §4.1.2.2).
        && X509_set_version(certificate, 2) && ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1 | 1)
        && X509_gmtime_adj(X509_getm_notBefore(certificate), from) && X509_gmtime_adj(X509_getm_notAfter(certificate), until)
        && X509_set_pubkey(certificate, key)
        && X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", 0x1000 | 1, (const unsigned char *)name, -1, -1, 0))
        return certificate;
    X509_free(certificate);
    return NULL;
}

static bool sign(void *certificate, void *issuer, void *key) {
    return X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) && X509_sign(certificate, key, EVP_sha256()) > 0;
}

enum { day = 86400 };

CatenaTLSAuthority *catena_tls_authority_new(void) {
    CatenaTLSAuthority *authority = calloc(1, sizeof *authority);
    if (!authority) return NULL;
    authority->key = new_key();
    // The authority must be older than the certificates that it signs, including expired ones.
    if (authority->key) authority->certificate = new_certificate(authority->key, "Loopback authority", -30 * day, 30 * day);
    if (authority->certificate && add_extension(authority->certificate, basic_constraints, "critical,CA:TRUE")
        && add_extension(authority->certificate, key_usage, "critical,keyCertSign")
        && sign(authority->certificate, authority->certificate, authority->key))
        return authority;
    catena_tls_authority_free(authority);
    return NULL;
}

void catena_tls_authority_free(CatenaTLSAuthority *authority) {
    X509_free(authority->certificate);
    EVP_PKEY_free(authority->key);
    free(authority);
}

size_t catena_tls_authority_pem(CatenaTLSAuthority *authority, char *text, size_t size) {
    void *memory = BIO_new(BIO_s_mem());
    size_t count = 0;
    if (memory && PEM_write_bio_X509(memory, authority->certificate)) count = BIO_ctrl_pending(memory);
    if (count > size || (count && BIO_read(memory, text, (int)count) != (int)count)) count = 0;
    BIO_free(memory);
    return count;
}

// These two types are SSL_CTX and SSL. Both count their references, so they can be freed in any order.
CatenaTLSContext *catena_tls_context_new(CatenaTLSAuthority *authority, const char *names, long from, long until) {
    void *key = new_key();
    void *certificate = key ? new_certificate(key, names ? "Loopback server" : "localhost", from, until) : NULL;
    void *context = NULL;
    if (certificate && add_extension(certificate, basic_constraints, "critical,CA:FALSE")
        && add_extension(certificate, extended_key_usage, "serverAuth")
        && (!names || add_extension(certificate, subject_alternative_name, names))
        && sign(certificate, authority->certificate, authority->key))
        context = SSL_CTX_new(TLS_server_method());
    if (context && !(SSL_CTX_use_certificate(context, certificate) > 0 && SSL_CTX_use_PrivateKey(context, key) > 0)) {
        SSL_CTX_free(context);
        context = NULL;
    }
    X509_free(certificate);
    EVP_PKEY_free(key);
    return context;
}

void catena_tls_context_free(CatenaTLSContext *context) { SSL_CTX_free(context); }

// The client's protocols follow each other, each behind its length (RFC 7301 §3.1).
static int choose_http2(
    void *session, const unsigned char **chosen, unsigned char *length, const unsigned char *offered, unsigned count, void *context) {
    (void)session;
    (void)context;
    enum { agreed = 0, ignored = 3 };
    for (unsigned i = 0; i < count; i += 1 + offered[i]) {
        if (offered[i] != 2 || count - i < 3 || offered[i + 1] != 'h' || offered[i + 2] != '2') continue;
        *chosen = offered + i + 1;
        *length = 2;
        return agreed;
    }
    return ignored;
}

void catena_tls_context_offer_http2(CatenaTLSContext *context) { SSL_CTX_set_alpn_select_cb(context, choose_http2, NULL); }

bool catena_tls_context_limit_version(CatenaTLSContext *context) {
    enum { set_minimum = 123, set_maximum = 124, version_1_1 = 0x0302 };
    // OpenSSL 3 allows TLS 1.1 at security level 0 only.
    SSL_CTX_set_security_level(context, 0);
    return SSL_CTX_ctrl(context, set_minimum, version_1_1, NULL) > 0 && SSL_CTX_ctrl(context, set_maximum, version_1_1, NULL) > 0;
}

bool catena_tls_context_fingerprint(CatenaTLSContext *context, uint8_t digest[32]) {
    // A P-256 key has 91 bytes. The encoder advances the pointer that it receives.
    unsigned char encoded[512], *end = encoded;
    void *key = SSL_CTX_get0_privatekey(context);
    int count = i2d_PUBKEY(key, NULL);
    if (count <= 0 || count > (int)sizeof encoded || i2d_PUBKEY(key, &end) != count) return false;
    return EVP_Digest(encoded, (size_t)count, digest, NULL, EVP_sha256(), NULL) > 0;
}

// MARK: Connections

CatenaTLSSession *catena_tls_session_new(CatenaTLSContext *context) {
    void *session = SSL_new(context), *input = BIO_new(BIO_s_mem()), *output = BIO_new(BIO_s_mem());
    if (!session || !input || !output) {
        SSL_free(session);
        BIO_free(input);
        BIO_free(output);
        return NULL;
    }
    // The session now owns both.
    SSL_set_bio(session, input, output);
    SSL_set_accept_state(session);
    return session;
}

void catena_tls_session_free(CatenaTLSSession *session) { SSL_free(session); }

bool catena_tls_feed(CatenaTLSSession *session, const void *bytes, int count) {
    return session && BIO_write(SSL_get_rbio(session), bytes, count) == count;
}

int catena_tls_read(CatenaTLSSession *session, void *bytes, int size) {
    if (!session) return -1;
    // SSL_get_error reads the thread's error queue, which must be empty before the call.
    ERR_clear_error();
    int count = SSL_read(session, bytes, size);
    if (count > 0) return count;
    enum { wants_read = 2 };
    return SSL_get_error(session, count) == wants_read ? 0 : -1;
}

bool catena_tls_write(CatenaTLSSession *session, const void *bytes, int count) {
    if (!session) return false;
    ERR_clear_error();
    return SSL_write(session, bytes, count) == count;
}

void catena_tls_finish(CatenaTLSSession *session) {
    if (!session) return;
    ERR_clear_error();
    SSL_shutdown(session);
}

size_t catena_tls_outgoing(CatenaTLSSession *session) { return session ? BIO_ctrl_pending(SSL_get_wbio(session)) : 0; }

size_t catena_tls_take(CatenaTLSSession *session, void *bytes, size_t size) {
    int count = session && size <= INT32_MAX ? BIO_read(SSL_get_wbio(session), bytes, (int)size) : 0;
    return count > 0 ? (size_t)count : 0;
}
#endif
