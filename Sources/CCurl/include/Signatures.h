// RSA signatures with the OpenSSL that libcurl loads, bound at run time.
#ifndef SIGNATURES_H
#define SIGNATURES_H
#ifdef __linux__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns whether an OpenSSL with all required functions is available.
bool catena_rsa_bind(void);
// Signs a message with PKCS #1 v1.5 and SHA-256 (RFC 8017 §8.2). Returns the number of bytes written to `signature`. Returns 0 if `key` is
// no RSAPrivateKey in DER, or if the signature exceeds `capacity`. Call only after catena_rsa_bind has returned true; on any thread.
size_t catena_rsa_sign(const uint8_t *key, size_t key_size, const uint8_t *message, size_t size, uint8_t *signature, size_t capacity);

#endif
#endif
