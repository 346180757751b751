/* The input of a fuzzed command is the fuzzer's bytes. */
#include <unistd.h>

#include "fuzz.h"

void
fuzz_input(int fd, const uint8_t *data, size_t n)
{
	if (write(fd, data, n) < 0)
		_exit(2);
}
