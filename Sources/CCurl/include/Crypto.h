// RSA signatures and digests with the OpenSSL that libcurl loads, bound at run time.
#ifndef CRYPTO_H
#define CRYPTO_H
#ifdef __linux__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns whether an OpenSSL with all required functions is available.
bool catena_crypto_bind(void);
// Signs a message with PKCS #1 v1.5 and SHA-256 (RFC 8017 §8.2). Returns the number of bytes written to `signature`. Returns 0 if `key` is
// no RSAPrivateKey in DER, or if the signature exceeds `capacity`. Call only after catena_crypto_bind has returned true; on any thread.
size_t catena_rsa_sign(const uint8_t *key, size_t key_size, const uint8_t *message, size_t size, uint8_t *signature, size_t capacity);

// The SHA-256 digest of a message that arrives in pieces, for one thread at a time.
typedef struct CatenaDigest CatenaDigest;
// Returns NULL without an OpenSSL.
CatenaDigest *catena_digest_new(void);
void catena_digest_free(CatenaDigest *digest);
// Return whether OpenSSL succeeded. After a failure, the digest is unusable.
bool catena_digest_update(CatenaDigest *digest, const void *bytes, size_t count);
bool catena_digest_finish(CatenaDigest *digest, uint8_t result[32]);

#endif
#endif
