#ifdef __linux__
#define _GNU_SOURCE
#include "Binding.h"
#include "Crypto.h"
#include <limits.h>
#include <pthread.h>

// Declarations of OpenSSL's stable interface, unchanged since 1.1.1. Compare them with its manual, because the compiler does not find a
// wrong one.
#define FUNCTIONS(X) \
    X(const void *, EVP_sha256, (void)) \
    X(void *, d2i_PrivateKey, (int, void **, const unsigned char **, long)) \
    X(void, EVP_PKEY_free, (void *)) \
    X(void *, EVP_MD_CTX_new, (void)) \
    X(void, EVP_MD_CTX_free, (void *)) \
    X(int, EVP_DigestInit_ex, (void *, const void *, void *)) \
    X(int, EVP_DigestUpdate, (void *, const void *, size_t)) \
    X(int, EVP_DigestFinal_ex, (void *, unsigned char *, unsigned *)) \
    X(int, EVP_DigestSignInit, (void *, void **, const void *, void *, void *)) \
    X(int, EVP_DigestSign, (void *, unsigned char *, size_t *, const unsigned char *, size_t)) \
    X(void, ERR_clear_error, (void))

#define DECLARE(result, name, arguments) static result (*name) arguments;
FUNCTIONS(DECLARE)

static bool is_bound;

// All functions come from one library, because a key of one copy of OpenSSL is invalid in another. A library that is already loaded is
// preferred.
static void bind_crypto(void) {
    static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
    void *library = NULL;
    for (int i = 0; !library && i < 4; i++) library = dlopen(names[i % 2], RTLD_NOW | RTLD_LOCAL | (i < 2 ? RTLD_NOLOAD : 0));
    if (!library) return;
    catena_keep_openssl(library);
#define BIND(result, name, arguments) if (!(*(void **)&name = dlsym(library, #name))) return;
    FUNCTIONS(BIND)
    is_bound = true;
}

bool catena_crypto_bind(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, bind_crypto);
    return is_bound;
}

size_t catena_rsa_sign(const uint8_t *key, size_t key_size, const uint8_t *message, size_t size, uint8_t *signature, size_t capacity) {
    enum { rsa = 6 };
    if (!is_bound || key_size > LONG_MAX) return 0;
    // The decoder advances the pointer that it receives.
    const unsigned char *bytes = key;
    void *private_key = d2i_PrivateKey(rsa, NULL, &bytes, (long)key_size), *context = EVP_MD_CTX_new();
    size_t count = 0;
    // Without a buffer, the call returns the size of the signature.
    if (!private_key || !context || EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, private_key) <= 0
        || EVP_DigestSign(context, NULL, &count, message, size) <= 0 || count > capacity
        || EVP_DigestSign(context, signature, &count, message, size) <= 0)
        count = 0;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(private_key);
    // Errors must not remain in the thread's queue, where the next use of OpenSSL would find them.
    ERR_clear_error();
    return count;
}

// This type is EVP_MD_CTX.
CatenaDigest *catena_digest_new(void) {
    void *context = catena_crypto_bind() ? EVP_MD_CTX_new() : NULL;
    if (context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) > 0) return context;
    catena_digest_free(context);
    return NULL;
}

void catena_digest_free(CatenaDigest *digest) {
    // Without a digest, the functions may be unbound.
    if (digest) EVP_MD_CTX_free(digest);
}

bool catena_digest_update(CatenaDigest *digest, const void *bytes, size_t count) { return EVP_DigestUpdate(digest, bytes, count) > 0; }

bool catena_digest_finish(CatenaDigest *digest, uint8_t result[32]) { return EVP_DigestFinal_ex(digest, result, NULL) > 0; }
#endif
