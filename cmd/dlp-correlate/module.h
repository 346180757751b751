/* The path of modules in DLProf's name for an op. */
#ifndef DLP_MODULE_H
#define DLP_MODULE_H

#include "buf.h"

/*
 * Appends the modules that a call stack goes through, joined by /; nothing if
 * it goes through none. func: what marker_trace() gives,
 *
 *	/module/LeNet::forward/Conv2d::_call_impl[2]/Conv2d::forward/conv2d
 *
 * of which LeNet/Conv2d[2] are the modules.
 */
void module_path(struct buf *out, const char *func, size_t n);

#endif
