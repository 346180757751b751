/*
 * CUPTI: taking the only seat that it has for a tool, and switching the kinds
 * of records on and off with the window. After the window CUPTI is detached
 * (cuptiFinalize), because it slows calls down as long as it is there; this is
 * allowed at the end of a call, in CUPTI's callback.
 */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "inj.h"

#define CU (&inj.cupti)

static void
node_event(const struct abi_graph_data *g, bool cloned)
{
	struct rspool_node r = { .t = inj_now(), .tid = spool_tid() };

	if (inj.opt.graph_level || CU->GetGraphNodeId == NULL ||
	    CU->GetGraphNodeId(g->node, &r.id) != ABI_OK)
		return;
	if (cloned &&
	    CU->GetGraphNodeId(g->original_node, &r.original) != ABI_OK)
		r.original = 0;
	SPOOL(RSPOOL_NODE, &r);
}

static void
graph_event(const struct abi_graph_data *g, uint32_t cbid)
{
	struct rspool_node r = { .t = inj_now(), .tid = spool_tid() };
	uint32_t id = 0, original = 0, exec = 0;

	if (!inj.opt.graph_level || CU->GetGraphId == NULL ||
	    CU->GetGraphId(g->graph, &id) != ABI_OK)
		return;
	if (cbid == ABI_RES_GRAPH_CLONED &&
	    CU->GetGraphId(g->original, &original) != ABI_OK)
		original = 0;
	if (cbid == ABI_RES_EXEC_CREATED &&
	    (CU->GetGraphExecId == NULL ||
		CU->GetGraphExecId(g->exec, &exec) != ABI_OK))
		exec = 0;
	r.id = id;
	r.original = original;
	r.exec = exec;
	SPOOL(RSPOOL_GRAPH, &r);
}

static void
ctx_event(void *ctx, bool created)
{
	int i;

	pthread_mutex_lock(&inj.ctx_lock);
	for (i = 0; i < inj.n_ctx && inj.ctx[i] != ctx; i++)
		continue;
	if (created && i == inj.n_ctx && i < 64)
		inj.ctx[inj.n_ctx++] = ctx;
	else if (!created && i < inj.n_ctx)
		inj.ctx[i] = inj.ctx[--inj.n_ctx];
	pthread_mutex_unlock(&inj.ctx_lock);
}

static void
resource_event(uint32_t cbid, const struct abi_resource_data *d)
{
	switch (cbid) {
	case ABI_RES_CONTEXT_CREATED:
	case ABI_RES_CONTEXT_DESTROY:
		ctx_event(d->ctx, cbid == ABI_RES_CONTEXT_CREATED);
		break;
	case ABI_RES_NODE_CREATED:
	case ABI_RES_NODE_CLONED:
		if (d->descriptor != NULL)
			node_event(d->descriptor, cbid == ABI_RES_NODE_CLONED);
		break;
	case ABI_RES_GRAPH_CREATED:
	case ABI_RES_GRAPH_CLONED:
	case ABI_RES_EXEC_CREATED:
		if (d->descriptor != NULL)
			graph_event(d->descriptor, cbid);
		break;
	default:
		break;
	}
}

/* The helper thread may be in a flush; it is soon done, or we do without. */
static bool
lock_cupti(void)
{
	int i;

	for (i = 0; i < 2000; i++) {
		if (pthread_mutex_trylock(&inj.cupti_lock) == 0)
			return true;
		usleep(1000);
	}
	return false;
}

static void
finalize(void)
{
	if (!atomic_exchange(&inj.finalize, false) || !lock_cupti())
		return;
	if (atomic_exchange(&inj.cuda_on, false))
		CU->Finalize();
	pthread_mutex_unlock(&inj.cupti_lock);
}

static void
on_callback(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
	const struct abi_call_data *call = data;

	(void)user;
	if (!atomic_load(&inj.cuda_on) || inj.pid != getpid())
		return;
	if (domain == ABI_CB_RESOURCE) {
		resource_event(cbid, data);
		return;
	}
	if (domain == ABI_CB_DRIVER && inj.opt.capture == CAPTURE_PROFILER) {
		if (cbid == ABI_PROFILER_START && call->site == ABI_API_ENTER)
			window_open(inj_now());
		if (cbid == ABI_PROFILER_STOP && call->site == ABI_API_EXIT)
			window_close(inj_now(), true);
	}
	if (inj.opt.capture == CAPTURE_ARM)
		records_told(domain == ABI_CB_RUNTIME, cbid, call);
	if (call->site == ABI_API_EXIT)
		finalize();
}

static void
callbacks(uint32_t on)
{
	static const uint32_t resources[] = { ABI_RES_CONTEXT_CREATED,
		ABI_RES_CONTEXT_DESTROY, ABI_RES_NODE_CREATED,
		ABI_RES_NODE_CLONED, ABI_RES_GRAPH_CREATED,
		ABI_RES_GRAPH_CLONED, ABI_RES_EXEC_CREATED };
	size_t i;

	for (i = 0; i < sizeof(resources) / sizeof(resources[0]); i++)
		CU->EnableCallback(
		    on, inj.subscriber, ABI_CB_RESOURCE, resources[i]);
	if (inj.opt.capture != CAPTURE_PROFILER)
		return;
	CU->EnableCallback(
	    on, inj.subscriber, ABI_CB_DRIVER, ABI_PROFILER_START);
	CU->EnableCallback(
	    on, inj.subscriber, ABI_CB_DRIVER, ABI_PROFILER_STOP);
}

static uint64_t
on_clock(void)
{
	return (uint64_t)inj_now();
}

static bool
take_seat(void)
{
	abi_result r = CU->Subscribe(&inj.subscriber, on_callback, NULL);

	if (r == ABI_OK)
		return true;
	if (r == ABI_ERROR_SEAT || r == ABI_ERROR_LEGACY)
		spool_note(2,
		    "another profiler uses CUPTI in this process (error %d), "
		    "so CUDA is not recorded: run without it",
		    r);
	else if (r == ABI_ERROR_RIGHTS)
		spool_note(2,
		    "the driver lets only administrators profile (error %d), "
		    "so "
		    "CUDA is not recorded",
		    r);
	else
		spool_note(2,
		    "CUPTI refused to work (error %d), so CUDA is not recorded",
		    r);
	return false;
}

static bool
start(void)
{
	char where[1024];
	uint32_t version = 0;
	struct timespec t;
	bool ours;

	if (!find_cupti(CU, where, sizeof(where))) {
		spool_note(2, "%s, so CUDA is not recorded (--cupti)", where);
		return false;
	}
	if (CU->GetVersion != NULL)
		CU->GetVersion(&version);
	spool_fact("cupti", where);
	spool_fact_i64("cupti_version", version);
	if (!take_seat())
		return false;
	/* the clock of CUPTI's records must be NVTX's */
	ours = CU->ActivityRegisterTimestampCallback != NULL &&
	       CU->ActivityRegisterTimestampCallback(on_clock) == ABI_OK;
	if (!ours) {
		clock_gettime(CLOCK_REALTIME, &t);
		inj.clock_ahead =
		    (int64_t)t.tv_sec * 1000000000 + t.tv_nsec - inj_now();
	}
	spool_fact("cupti_clock", ours ? "mono" : "real");
	if (CU->SetThreadIdType != NULL)
		CU->SetThreadIdType(ABI_THREAD_ID_SYSTEM);
	if (!records_start()) {
		spool_note(2, "CUPTI takes no buffers from us, so CUDA is not "
			      "recorded");
		return false;
	}
	return true;
}

/* From the beginning on: what later records refer to. Allocations that are
 * there when the window opens belong to it. */
static const uint32_t always[] = { ABI_CONTEXT, ABI_STREAM, ABI_MEMORY2,
	ABI_POOL };

static bool
wants(uint32_t kind)
{
	switch (kind) {
	case ABI_GRAPH_TRACE:
		return inj.opt.graph_level;
	case ABI_MEMORY2:
	case ABI_POOL:
		return inj.opt.memory;
	case ABI_SYNC:
	case ABI_CUDA_EVENT:
		return inj.opt.sync;
	case ABI_RUNTIME:
	case ABI_DRIVER:
		return !inj.chosen;
	default:
		return true;
	}
}

static void
enable(const uint32_t *kind, size_t n, bool on)
{
	abi_result r;
	size_t i;

	for (i = 0; i < n; i++) {
		if (on && !wants(kind[i]))
			continue;
		r = on ? CU->ActivityEnable(kind[i])
		       : CU->ActivityDisable(kind[i]);
		if (on && r != ABI_OK)
			spool_note(2,
			    "CUPTI does not record kind %u (error %d)", kind[i],
			    r);
	}
}

#define ENABLE(list, on) enable(list, sizeof(list) / sizeof((list)[0]), on)

/*
 * The kinds of the window. Calls are chosen one by one where CUPTI can do that:
 * with the kinds of all calls it steps into those, too, that have no records
 * (0.2 us each). Chosen calls have records from the beginning, and those before
 * the window are dropped.
 */
static const uint32_t kinds[] = { ABI_RUNTIME, ABI_DRIVER, ABI_SYNC,
	ABI_CUDA_EVENT, ABI_GRAPH_TRACE, ABI_MEMCPY, ABI_MEMCPY2, ABI_MEMSET,
	ABI_KERNEL, ABI_OVERHEAD };

void
cupti_kinds(bool on)
{
	if (atomic_load(&inj.cuda_on))
		ENABLE(kinds, on);
}

/* Our own call, which waits for the GPU, comes after the window and is dropped.
 * With --sync CUPTI stays: whether it can be detached then is not known. */
void
cupti_close(bool in_call)
{
	if (!atomic_load(&inj.cuda_on))
		return;
	CU->ActivityDisable(ABI_SYNC);
	CU->ActivityDisable(ABI_CUDA_EVENT);
	CU->ActivityDisable(ABI_RUNTIME);
	CU->ActivityDisable(ABI_DRIVER);
	if (inj.opt.capture == CAPTURE_ARM) /* it was made before we came */
		ctx_event(driver_ctx(), true);
	driver_sync();
	cupti_flush(true);
	cupti_kinds(false);
	ENABLE(always, false);
	if (inj.opt.capture == CAPTURE_ARM) {
		CU->EnableDomain(0, inj.subscriber, ABI_CB_RUNTIME);
		CU->EnableDomain(0, inj.subscriber, ABI_CB_DRIVER);
	}
	driver_devices();
	if (CU->Finalize == NULL || inj.opt.sync)
		return;
	atomic_store(&inj.finalize, true);
	/* outside of a call: at the end of the next one */
	if (!in_call)
		CU->EnableDomain(1, inj.subscriber, ABI_CB_DRIVER);
}

void
cupti_flush(bool forced)
{
	if (!atomic_load(&inj.cuda_on) || !lock_cupti())
		return;
	if (atomic_load(&inj.cuda_on))
		CU->ActivityFlushAll(forced ? ABI_FLUSH_FORCED : 0);
	pthread_mutex_unlock(&inj.cupti_lock);
}

void
cupti_last(void)
{
	cupti_flush(true);
	driver_devices();
}

/* CUPTI cannot be used in the child of a fork. */
void
cupti_child(void)
{
	atomic_store(&inj.cuda_on, false);
	atomic_store(&inj.cuda_seen, false);
	atomic_store(&inj.finalize, false);
	atomic_store(&inj.has_devices, false);
	inj.n_ctx = 0;
}

uint32_t
cupti_ctx_id(void *ctx)
{
	uint32_t id;

	if (!atomic_load(&inj.cuda_on) || CU->GetContextId == NULL ||
	    ctx == NULL || CU->GetContextId(ctx, &id) != ABI_OK)
		return UINT32_MAX;
	return id;
}

bool
cupti_stream_id(void *ctx, void *stream, uint32_t *id)
{
	return atomic_load(&inj.cuda_on) && CU->GetStreamIdEx != NULL &&
	       ctx != NULL && CU->GetStreamIdEx(ctx, stream, 0, id) == ABI_OK;
}

/* Not in CUPTI's callback: choosing calls has no effect there. With --arm it
 * may still be there, as no call has come since it was to be detached, and
 * callbacks tell of calls: records_told(). */
void
cupti_attach(void)
{
	bool late = inj.opt.capture == CAPTURE_ARM, there;

	if (!inj.opt.cuda || !lock_cupti())
		return;
	atomic_store(&inj.finalize, false);
	there = atomic_load(&inj.cuda_on);
	if (there)
		CU->EnableDomain(0, inj.subscriber, ABI_CB_DRIVER);
	else
		there = start();
	if (there) {
		atomic_store(&inj.cuda_on, true);
		callbacks(1);
		ENABLE(always, true);
		inj.chosen = records_choose(late);
		if (late || atomic_load(&inj.window) == WINDOW_ON)
			cupti_kinds(true);
	}
	pthread_mutex_unlock(&inj.cupti_lock);
}

INJ_EXPORT int InitializeInjection(void);

/* Called by the driver, in cuInit(). */
INJ_EXPORT int
InitializeInjection(void)
{
	if (!inj_ready_for_cuda() || atomic_exchange(&inj.cuda_seen, true))
		return 1;
	if (inj.opt.cuda && inj.opt.capture != CAPTURE_ARM)
		cupti_attach();
	end_helper();
	return 1;
}
