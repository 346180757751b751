/*
 * DLProf's detectors. Where its wording is known the problem and the advice
 * are with --dlprof what DLProf 1.8 printed, as scripts read them; all else
 * is worded here, with the same facts.
 */
#ifndef ADVISE_DLPROF_H
#define ADVISE_DLPROF_H

#include "rule.h"

/* The framework, by DLProf's mode or by the ops. */
bool is_tensorflow(const struct facts *f);
bool is_pytorch(const struct facts *f);

/* The guide has some detectors for PyTorch and TensorFlow only. */
bool is_engine(const struct facts *f);

/* Advice, share and leading rule: by the largest part of the time in which no
 * kernel ran. */
void say_largest(const struct facts *f, struct verdict *v);

#endif
