#ifndef BINDING_H
#define BINDING_H
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

// What is loaded already (by Foundation) comes first: two copies of the library in a process would be one too many.
static inline void *catena_find(void *library, const char *name) {
    void *symbol = dlsym(RTLD_DEFAULT, name);
    return symbol ? symbol : library ? dlsym(library, name) : NULL;
}

// To be called before anything else of the OpenSSL that `library` is or is linked to: OpenSSL takes itself apart when the process begins to exit,
// while transfers are still under way on other threads, which then crash. Only who comes first can tell it to leave that to the system.
static inline void catena_keep_openssl(void *library) {
    enum { no_cleanup_at_exit = 0x00080000 };
    int (*initialize)(uint64_t, const void *);
    if (library && (*(void **)&initialize = dlsym(library, "OPENSSL_init_crypto"))) initialize(no_cleanup_at_exit, NULL);
}

#endif
