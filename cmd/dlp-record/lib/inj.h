/*
 * The library that the driver and NVTX load into the recorded process. It
 * writes nothing but its spool, never ends the process, and gives up quietly:
 * if something fails, the program runs on and the spool says what is missing.
 *
 * State is in one struct, inj, because the functions that NVTX and CUPTI call
 * have no argument for it.
 */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "../rspool.h"
#include "cupti_abi.h"

#define INJ_EXPORT __attribute__((visibility("default")))

enum inj_capture {
	CAPTURE_ALL,
	CAPTURE_PROFILER,
	CAPTURE_NVTX,
	CAPTURE_STEPS,
	CAPTURE_ARM /* CAPTURE_STEPS, when and as often as it is asked for */
};

struct inj_options { /* the session file's lines */
	bool nvtx, cuda, graph_level, memory, sync, all_calls, fork;
	enum inj_capture capture;
	char text[512], domain[256]; /* CAPTURE_NVTX; domain "": any */
	int64_t first, last;         /* CAPTURE_STEPS, CAPTURE_ARM */
	int64_t begin_at, duration;  /* ns; begin_at 0: at once */
	int64_t flush_ns;
	int64_t max_bytes; /* 0: no limit */
	char cupti[1024];  /* a file; "": search */
};

#define INJ_SIGNALS 8

enum inj_window { /* the range that is recorded */
	WINDOW_BEFORE,
	WINDOW_ON,
	WINDOW_AFTER
};

struct inj {
	atomic_int ready; /* see inj_main.c */
	pthread_mutex_t ready_lock;
	bool has_atfork, has_atexit;
	atomic_bool forked; /* this is the child of a recorded process */
	pid_t pid;
	struct inj_options opt;
	char dir[1024]; /* of the spool */

	/* inj_arm.c */
	struct inj_arm {
		char base[1024]; /* the folder of --arm */
		int64_t no;      /* of the recording; that of the last one */
		int64_t steps;
		int64_t asked_at;
		bool busy; /* it has a spool */
		bool said; /* that the window is open */
		pthread_mutex_t lock;
	} arm;

	/* inj_spool.c */
	int fd;
	char path[1200]; /* of the file, and what it is: see still_ours() */
	dev_t dev;
	ino_t ino;
	_Atomic uint64_t chunks; /* allocated in the file */
	_Atomic uint64_t serial;
	_Atomic uint32_t turn; /* of the file: chunks of others are left */
	_Atomic uint64_t lost; /* records that found no room */
	atomic_bool full;
	pthread_mutex_t lock; /* of what follows */
	struct inj_free *free_chunks;
	pthread_key_t key;
	bool has_key;

	/* inj_window.c */
	atomic_int window;       /* enum inj_window */
	atomic_int nvtx;         /* bits: NVTX_RECORD, NVTX_WATCH */
	_Atomic int64_t until;   /* the end of --duration; 0: none */
	_Atomic int64_t on, off; /* its times; INT64_MAX: not yet */
	pthread_mutex_t window_lock;
	atomic_bool closing;  /* its last records are being written */
	struct inj_opener {   /* the range that began the window */
		uint32_t tid; /* a push/pop range of this thread */
		uint32_t domain;
		int depth;      /* ranges inside it, and itself; 0: closed */
		uint64_t range; /* or a start/end range */
		int64_t step;   /* CAPTURE_STEPS: its number */
		bool idle; /* it ended; until is for the next one to begin */
	} opener;

	/* inj_nvtx.c */
	_Atomic uint64_t next_range;
	_Atomic uint32_t next_domain, next_string;
	_Atomic uint64_t next_schema;

	/* inj_cupti.c */
	struct abi_cupti cupti;
	void *subscriber;
	atomic_bool cuda_seen; /* the driver called us */
	atomic_bool cuda_on;   /* CUPTI is there, and ours */
	atomic_bool finalize;  /* at the end of the next call */
	bool chosen;           /* calls one by one, not by their kinds */
	int64_t clock_ahead;   /* of CUPTI's clock, of ours */
	pthread_mutex_t cupti_lock;
	pthread_mutex_t ctx_lock;
	void *ctx[64]; /* contexts that exist */
	int n_ctx;
	atomic_bool has_devices;

	/* inj_end.c */
	int wake[2]; /* the helper thread's pipe */
	atomic_bool has_helper;
	uint32_t helper;           /* the thread */
	bool handled[INJ_SIGNALS]; /* signals */
	atomic_bool ended, done;
};

extern struct inj inj;

static inline int64_t
inj_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* True if this process records. The first call reads the options and makes the
 * spool. */
bool inj_ready(void);
bool inj_ready_for_cuda(void);
void inj_begin_spool(void); /* facts of the process */

/* inj_spool.c */
bool spool_open(void);
/* Publishes a record: a struct of size bytes, whose type and size are set here,
 * and the texts that follow it, whose lengths it has already. */
void spool_record(enum rspool_type type, void *rec, size_t size, const char *s,
    size_t n, const char *more, size_t n_more);
#define SPOOL(type, rec)                                                       \
	spool_record(type, rec, sizeof(*(rec)), NULL, 0, NULL, 0)
/* A record of struct rspool_text. */
void spool_text(
    enum rspool_type type, uint32_t id, int64_t t, const char *s, size_t n);
void spool_fact(const char *key, const char *value);
void spool_fact_i64(const char *key, int64_t value);
void spool_note(int severity, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void spool_count(const char *name, uint64_t n);
void spool_clock(void);
uint32_t spool_tid(void);
void spool_child(void); /* after fork */
void spool_close(void); /* another one can be opened */

/* inj_window.c: when a program's events are recorded */
enum { NVTX_RECORD = 1, NVTX_WATCH = 2 };
void window_start(void);
void window_again(void);  /* it can open again */
void window_cancel(void); /* and need not */
void window_open(int64_t t);
void window_close(int64_t t, bool in_call);
void window_tick(int64_t t); /* delay and duration */
/* A range begins: it may open the window. id 0: a push, otherwise a start. */
void window_begins(
    const char *text, size_t n, uint32_t domain, uint64_t id, int64_t t);
/* A range ended: it may close the window. */
void window_pops(uint32_t domain, int64_t t);
void window_ends(uint64_t id, int64_t t);

/* inj_nvtx.c, inj_payload.c */
uint32_t nvtx_domain_id(const void *handle);
const char *nvtx_domain_name(uint32_t id, char *out, size_t n);
struct nvtx_abi_event;
struct nvtx_abi_data;
void nvtx_event(enum rspool_nvtx what, uint32_t domain,
    const struct nvtx_abi_event *e, uint64_t id,
    const struct nvtx_abi_data *data, size_t n_data);

void nvtx_again(void);    /* the handles, into a new spool */
void payload_again(void); /* and the schemas */
void nvtx_pop(uint32_t domain);
void nvtx_range_end(uint64_t id);

/* inj_arm.c: recordings that dlp-record --trigger asks for; in the helper
 * thread */
extern int dlp_record_wanted;
void arm_start(void); /* the process can record */
void arm_tick(int64_t t);
void arm_end(const char *how); /* at the end of the process */
bool arm_runs(void);           /* it is to be looked at often */

/* inj_cupti.c */
void cupti_attach(void);
void cupti_kinds(bool on);      /* the window opens */
void cupti_close(bool in_call); /* and closes; in_call: in CUPTI's callback
				   at the end of a call */
void cupti_flush(bool forced);
void cupti_last(void); /* at the end of the process */
void cupti_child(void);
bool cupti_stream_id(void *ctx, void *stream, uint32_t *id);
uint32_t cupti_ctx_id(void *ctx);

/* inj_records.c */
void records_child(void);  /* after fork */
void records_forget(void); /* texts are new in a new spool */
bool records_start(void);  /* registers the buffers' functions */
/* Chooses the calls that have records; false if this CUPTI cannot. late: CUPTI
 * comes when the program has begun, where switching calls on has no effect.
 * They are on by their kinds, and the others are switched off. */
bool records_choose(bool late);
/* A call begins or ends. */
void records_told(bool runtime, uint32_t cbid, const struct abi_call_data *d);

/* inj_find.c: fills c; false with the reason why it cannot. where is the file
 * that was found. */
bool find_cupti(struct abi_cupti *c, char *where, size_t size);

/* inj_driver.c */
void driver_devices(void); /* facts, once the driver can say them */
void driver_sync(void);
void *driver_ctx(void); /* the current one */

/* inj_end.c */
void end_start(void);
void end_helper(void); /* starts the thread that flushes */
void end_all(const char *how);
void end_spool(const char *how); /* what a spool ends with */
void end_child(void);
