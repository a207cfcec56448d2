#ifndef CERTIFICATES_H
#define CERTIFICATES_H

// Lets libcurl's OpenSSL outlive the transfers. `function` is one of libcurl's; call this before libcurl's own initialization.
void catena_certificates_keep(void *function);

// Finds the OpenSSL that libcurl uses, by one of libcurl's functions and by libcurl's text about its TLS.
void catena_certificates_bind(void *function, const char *tls);

// The function that libcurl calls for each TLS connection (CURLOPT_SSL_CTX_FUNCTION), or NULL if libcurl uses another TLS library than
// OpenSSL.
extern int (*catena_certificates_check)(void *easy, void *context, void *user);

#endif
