#ifndef CERTIFICATES_H
#define CERTIFICATES_H

// Lets libcurl's OpenSSL outlive the transfers. `function` is one of libcurl's; call this before libcurl's own initialization.
void catena_certificates_keep(void *function);

// Finds the OpenSSL that libcurl uses, by one of libcurl's functions and by libcurl's text about its TLS.
void catena_certificates_bind(void *function, const char *tls);

// The function that libcurl calls for each TLS connection (CURLOPT_SSL_CTX_FUNCTION), or NULL if libcurl uses another TLS library than
// OpenSSL.
extern int (*catena_certificates_check)(void *easy, void *context, void *user);

// Whether a connection of OpenSSL reads several records at once, and to make it do so. Whether it has read bytes that libcurl has not taken. Without these
// functions of OpenSSL, it does not.
int catena_tls_reads_ahead(void *connection);
void catena_tls_read_ahead(void *connection, int is_on);
int catena_tls_has_unread(void *connection);

#endif
