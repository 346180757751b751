/* Names of ranges as numbers; at most 65,536 different ones. */
#ifndef DLP_NAMES_H
#define DLP_NAMES_H

#include "buf.h"
#include "map.h"

struct names { /* zeroed: empty */
	struct smap map;
	struct buf tmp;
};

/* The number of a name, which is kept escaped; SMAP_NONE if there are too
 * many. */
uint32_t names_put(struct names *t, const char *s, size_t n);

/* Whether names_get() can be asked. */
bool names_has(const struct names *t, uint32_t id);
const char *names_get(const struct names *t, uint32_t id, size_t *n);

#endif
