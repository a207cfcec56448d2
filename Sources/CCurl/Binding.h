#ifndef BINDING_H
#define BINDING_H
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

// Prefers a library that is already loaded, by Foundation for example, because the process must not contain two copies.
static inline void *catena_find(void *library, const char *name) {
    void *symbol = dlsym(RTLD_DEFAULT, name);
    return symbol ? symbol : library ? dlsym(library, name) : NULL;
}

// Call this before any other function of the OpenSSL that `library` is or is linked to. At the exit of the process, OpenSSL frees its state
// while transfers on other threads still use it, and they crash. Only the first initialization can disable this cleanup.
static inline void catena_keep_openssl(void *library) {
    enum { no_cleanup_at_exit = 0x00080000 };
    int (*initialize)(uint64_t, const void *);
    if (library && (*(void **)&initialize = dlsym(library, "OPENSSL_init_crypto"))) initialize(no_cleanup_at_exit, NULL);
}

#endif
