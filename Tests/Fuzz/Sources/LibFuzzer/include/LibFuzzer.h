// The functions of libFuzzer that the program calls, and the number of steps of the code under test.
#ifndef LIBFUZZER_H
#define LIBFUZZER_H
#include <stddef.h>
#include <stdint.h>

// Runs libFuzzer with the options of the command line, for programs with their own `main`.
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*test)(const uint8_t *bytes, size_t length));

// The number of comparisons in instrumented code so far. It is the same for the same input on any machine.
uint64_t catena_steps(void);

#endif
