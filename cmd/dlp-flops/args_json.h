/* The arguments of an op, out of JSON. */
#ifndef FLOPS_ARGS_JSON_H
#define FLOPS_ARGS_JSON_H

#include "args.h"

/* Reads PyProf's argument list, [{"name":..,"type":..,...},...] or the whole
 * marker {"mod":..,"args":[...]}. False if the text is not such a list; then
 * a is empty. a keeps views into s. */
bool args_marker(struct args *a, const char *s, size_t n);

/* Reads sizes, [[64,3,32,32],[],...]: each entry is a tensor, or something
 * else if it is empty. */
bool args_sizes(struct args *a, const char *s, size_t n);

#endif
