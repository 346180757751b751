/*
 * The parsers of each producer's texts, as marker_parse() calls them. Each
 * mk_X(m) looks at m->text, and if its producer wrote that, fills in *m and
 * returns true.
 */
#ifndef DLP_MK_PARSERS_H
#define DLP_MK_PARSERS_H

#include "marker.h"

bool mk_pytorch(struct marker *m);
bool mk_dict(struct marker *m); /* PyProf's and DLProf's markers */
bool mk_config(struct marker *m);
bool mk_tf_op(struct marker *m); /* {"op":... and Op: node */
bool mk_tf_mem(struct marker *m);
bool mk_tensorrt(struct marker *m);
bool mk_myelin(struct marker *m);
bool mk_xla(struct marker *m); /* any domain: only what is unmistakable */
bool mk_tsl(struct marker *m); /* domain TSL: everything */
bool mk_nccl(struct marker *m);
void mk_user(struct marker *m); /* what is left; m->name is set */

#endif
