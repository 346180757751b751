/* DLProf's word for what a profile's markers are from. */
#ifndef DLP_DL_MODE_H
#define DLP_DL_MODE_H

#include "marker.h"

struct dl_mode {     /* zeroed: nothing seen */
	unsigned by; /* producers of ops, a bit each */
	bool tf2;    /* names as TensorFlow 2 makes them */
	bool tf1;    /* the recorder says it was TensorFlow 1 */
	bool given;  /* the input tells its mode */
};

void dl_mode_marker(struct dl_mode *m, const struct marker *mk);

/* name and value of an ##info line. */
void dl_mode_info(struct dl_mode *m, const char *s, size_t n);

/* pytorch, tensorflow1, tensorflow2, tensorrt, jax, simple; NULL if the input
 * tells it already. */
const char *dl_mode_word(const struct dl_mode *m);

#endif
