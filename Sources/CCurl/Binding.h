#ifndef BINDING_H
#define BINDING_H
#include <dlfcn.h>
#include <stddef.h>

// What is loaded already (by Foundation) comes first: two copies of the library in a process would be one too many.
static inline void *catena_find(void *library, const char *name) {
    void *symbol = dlsym(RTLD_DEFAULT, name);
    return symbol ? symbol : library ? dlsym(library, name) : NULL;
}

#endif
