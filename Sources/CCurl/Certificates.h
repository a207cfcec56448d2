#ifndef CERTIFICATES_H
#define CERTIFICATES_H

// Lets the OpenSSL that libcurl uses outlive its transfers: before libcurl's own initialization, by one of libcurl's functions.
void catena_certificates_keep(void *function);

// Finds the OpenSSL that libcurl itself uses, by one of libcurl's functions and by what libcurl says of its TLS.
void catena_certificates_bind(void *function, const char *tls);

// What libcurl is to call for each connection over TLS (CURLOPT_SSL_CTX_FUNCTION); NULL where libcurl has another TLS than OpenSSL.
extern int (*catena_certificates_check)(void *easy, void *context, void *user);

#endif
