// RSA signatures by the OpenSSL that libcurl loads, bound at run time.
#ifndef SIGNATURES_H
#define SIGNATURES_H
#ifdef __linux__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Whether there is an OpenSSL with all that is needed.
bool catena_rsa_bind(void);
// Signs a message by PKCS #1 v1.5 with SHA-256 (RFC 8017 §8.2): how many bytes of `signature` have been written; 0 if `key`, an RSAPrivateKey in
// DER, is no such key, or if the signature needs more than `capacity`. Only after catena_rsa_bind has given true; from any thread.
size_t catena_rsa_sign(const uint8_t *key, size_t key_size, const uint8_t *message, size_t size, uint8_t *signature, size_t capacity);

#endif
#endif
