// The functions of OpenSSL that the tests' TLS server needs, bound at run time, so that OpenSSL is required only where they are used.
//
// Free every pointer from a `_new` function once, with its `_free` function. The functions of a session accept NULL, and then report its
// end.
#ifndef COPENSSL_H
#define COPENSSL_H
#ifdef __linux__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CatenaTLSAuthority CatenaTLSAuthority;
typedef struct CatenaTLSContext CatenaTLSContext;
typedef struct CatenaTLSSession CatenaTLSSession;

// Returns whether OpenSSL 3 with every required function is available.
bool catena_tls_bind(void);

// Makes an authority with its own key that signs the certificates of servers. Returns NULL if OpenSSL fails.
CatenaTLSAuthority *catena_tls_authority_new(void);
void catena_tls_authority_free(CatenaTLSAuthority *authority);
// Writes the authority's certificate in PEM. Returns the number of bytes, or 0 if they exceed `size`.
size_t catena_tls_authority_pem(CatenaTLSAuthority *authority, char *text, size_t size);

// Makes a new key and a certificate for `names`, valid between two times in seconds from now. Usable on any thread. Without names, the
// certificate has only the common name `localhost`. Returns NULL if OpenSSL fails.
CatenaTLSContext *catena_tls_context_new(CatenaTLSAuthority *authority, const char *names, long from, long until);
void catena_tls_context_free(CatenaTLSContext *context);
// Agrees to HTTP/2 with the clients that offer it, instead of to no protocol (RFC 7301).
void catena_tls_context_offer_http2(CatenaTLSContext *context);
// Makes TLS 1.1 the highest version. Returns false if OpenSSL refuses it.
bool catena_tls_context_limit_version(CatenaTLSContext *context);
// Computes the SHA-256 of the server's public key (SubjectPublicKeyInfo).
bool catena_tls_context_fingerprint(CatenaTLSContext *context, uint8_t digest[32]);

// Makes one connection, for one thread at a time. It does no I/O: callers pass in received bytes and take the bytes to send.
CatenaTLSSession *catena_tls_session_new(CatenaTLSContext *context);
void catena_tls_session_free(CatenaTLSSession *session);
bool catena_tls_feed(CatenaTLSSession *session, const void *bytes, int count);
// Continues the handshake and decrypts. Returns the number of decrypted bytes, 0 if more has to arrive first, or -1 at the end or after a
// failure.
int catena_tls_read(CatenaTLSSession *session, void *bytes, int size);
// Encrypts all bytes. Returns false before the handshake is complete and after a failure.
bool catena_tls_write(CatenaTLSSession *session, const void *bytes, int count);
// Announces that nothing more follows (close_notify).
void catena_tls_finish(CatenaTLSSession *session);
// Return the number of bytes that wait to be sent, and take them.
size_t catena_tls_outgoing(CatenaTLSSession *session);
size_t catena_tls_take(CatenaTLSSession *session, void *bytes, size_t size);
#endif
#endif
