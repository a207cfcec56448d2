// What a TLS server of tests needs of OpenSSL, bound at run time: nothing to install for those who never ask for it.
//
// Every pointer that a `_new` gives is freed once, with its `_free`. The functions of a session take NULL and then say that it has ended.
#ifndef COPENSSL_H
#define COPENSSL_H
#ifdef __linux__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CatenaTLSAuthority CatenaTLSAuthority;
typedef struct CatenaTLSContext CatenaTLSContext;
typedef struct CatenaTLSSession CatenaTLSSession;

// Whether OpenSSL 3 is there, with every function that is needed.
bool catena_tls_bind(void);

// An authority with a key of its own that can vouch for servers; NULL if OpenSSL cannot make one.
CatenaTLSAuthority *catena_tls_authority_new(void);
void catena_tls_authority_free(CatenaTLSAuthority *authority);
// The authority's certificate in PEM: how many bytes it has, 0 if they are more than `size`.
size_t catena_tls_authority_pem(CatenaTLSAuthority *authority, char *text, size_t size);

// What a server shows: a new key and a certificate for `names`, valid from and until so many seconds from now. It can be used from any
// thread. Without names there is only a common name, `localhost`. NULL if OpenSSL cannot make it.
CatenaTLSContext *catena_tls_context_new(CatenaTLSAuthority *authority, const char *names, long from, long until);
void catena_tls_context_free(CatenaTLSContext *context);
// The SHA-256 of the server's public key (SubjectPublicKeyInfo).
bool catena_tls_context_fingerprint(CatenaTLSContext *context, uint8_t digest[32]);

// One connection, for one thread at a time. It moves no bytes itself: it is fed with what has arrived and gives what is to be sent.
CatenaTLSSession *catena_tls_session_new(CatenaTLSContext *context);
void catena_tls_session_free(CatenaTLSSession *session);
bool catena_tls_feed(CatenaTLSSession *session, const void *bytes, int count);
// Goes on with the handshake, and gives what was decrypted: how many bytes, 0 if more has to arrive first, -1 at the end or after a failure.
int catena_tls_read(CatenaTLSSession *session, void *bytes, int size);
// Encrypts all bytes; false before the handshake is done and after a failure.
bool catena_tls_write(CatenaTLSSession *session, const void *bytes, int count);
// Says that nothing more follows (close_notify).
void catena_tls_finish(CatenaTLSSession *session);
// How many bytes wait to be sent, and taking them.
size_t catena_tls_outgoing(CatenaTLSSession *session);
size_t catena_tls_take(CatenaTLSSession *session, void *bytes, size_t size);
#endif
#endif
