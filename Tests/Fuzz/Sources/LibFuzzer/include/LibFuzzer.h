// What the program needs of libFuzzer, and the steps that the code under test has taken.
#ifndef LIBFUZZER_H
#define LIBFUZZER_H
#include <stddef.h>
#include <stdint.h>

// Runs the loop with the options of the command line; for programs with a main of their own.
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*test)(const uint8_t *bytes, size_t length));

// How many values have been compared so far by code that is instrumented: the same number for the same input, on any machine.
uint64_t catena_steps(void);

#endif
