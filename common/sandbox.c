/* seccomp and Landlock; see sandbox.h. */
#define _GNU_SOURCE /* syscall(), O_PATH */
#include "sandbox.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#define FEATURE(x) __has_feature(x)
#else
#define FEATURE(x) 0
#endif
/* Sanitizers start processes of their own, and look into this one. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
    FEATURE(address_sanitizer) || FEATURE(thread_sanitizer) ||                 \
    FEATURE(memory_sanitizer)
#define SANITIZED 1
#endif

#if defined(__linux__) && !defined(SANITIZED) &&                               \
    (defined(__x86_64__) || defined(__aarch64__))
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "array.h"
#include "buf.h"
#include "err.h"

#ifdef __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif
#define X32 0x40000000 /* system calls of another ABI have this bit */

/* What no command needs. The numbers of new calls are the same everywhere. */
static const uint32_t refused[] = {
	SYS_execve,
	SYS_execveat,
#ifdef SYS_fork
	SYS_fork,
	SYS_vfork,
#endif
	SYS_socket,
	SYS_socketpair,
	SYS_connect,
	SYS_bind,
	SYS_listen,
	SYS_accept,
	SYS_accept4,
	SYS_sendto,
	SYS_sendmsg,
	SYS_sendmmsg,
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_kcmp,
	434, /* pidfd_open */
	438, /* pidfd_getfd */
	425,
	426,
	427, /* io_uring */
	SYS_bpf,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_add_key,
	SYS_request_key,
	SYS_keyctl,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_unshare,
	SYS_setns,
	SYS_open_by_handle_at,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_personality,
	SYS_mknodat,
	SYS_setuid,
	SYS_setgid,
	SYS_setresuid,
	SYS_setresgid,
	SYS_swapon,
	SYS_reboot,
#ifdef SYS_mknod
	SYS_mknod,
#endif
};

#define CLONE3 435

/* Jumps to the ends of the filter, until their places are known. */
enum {
	ALLOWED = 253,
	REFUSED,
	UNKNOWN, /* as in a kernel that does not have the call */
};

struct filter {
	struct sock_filter v[2 * ARRAY_LEN(refused) + 24];
	unsigned short n;
};

static void
add_step(struct filter *f, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	f->v[f->n++] = (struct sock_filter){ code, yes, no, k };
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Are the numbers nr[0..n), which are sorted. By halves: the kernel goes
 * through the filter for every call there is when it is installed, which took a
 * tenth of the time that a filter needs to start. */
static void
add_search(struct filter *f, const uint32_t *nr, size_t n)
{
	size_t left = n / 2;
	unsigned at = f->n;

	if (n == 1) {
		add_step(f, BPF_JMP | BPF_JEQ | BPF_K, nr[0], REFUSED, ALLOWED);
		return;
	}
	add_step(f, BPF_JMP | BPF_JGE | BPF_K, nr[left], 0, 0);
	add_search(f, nr, left);
	f->v[at].jt = (uint8_t)(f->n - at - 1);
	add_search(f, nr + left, n - left);
}

static void
make_filter(struct filter *f)
{
	uint32_t nr[ARRAY_LEN(refused)];
	static const uint32_t ends[] = { SECCOMP_RET_ALLOW,
		SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ERRNO | ENOSYS };
	unsigned i, n;

	memcpy(nr, refused, sizeof(nr));
	qsort(nr, ARRAY_LEN(nr), sizeof(*nr), by_number);
	add_step(f, BPF_LD | BPF_W | BPF_ABS,
	    offsetof(struct seccomp_data, arch), 0, 0);
	add_step(f, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 0, REFUSED);
	add_step(f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr),
	    0, 0);
#ifdef __x86_64__
	add_step(f, BPF_JMP | BPF_JGE | BPF_K, X32, REFUSED, 0);
#endif
	/* its flags are in memory, where no filter can look; the C library
	 * uses clone() then */
	add_step(f, BPF_JMP | BPF_JEQ | BPF_K, CLONE3, UNKNOWN, 0);
	/* threads only; the lower half of the first argument */
	add_step(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 2);
	add_step(f, BPF_LD | BPF_W | BPF_ABS,
	    offsetof(struct seccomp_data, args), 0, 0);
	add_step(f, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, ALLOWED, REFUSED);
	add_search(f, nr, ARRAY_LEN(nr));
	/* Ends the filter, and sends there who jumps there. */
	n = f->n;
	for (i = 0; i < n; i++) {
		struct sock_filter *s = &f->v[i];

		if (s->jt >= ALLOWED)
			s->jt = (uint8_t)(n + s->jt - ALLOWED - i - 1);
		if (s->jf >= ALLOWED)
			s->jf = (uint8_t)(n + s->jf - ALLOWED - i - 1);
	}
	for (i = 0; i < ARRAY_LEN(ends); i++)
		add_step(f, BPF_RET | BPF_K, ends[i], 0, 0);
}

static int
is_off(void)
{
	const char *s = getenv("DLP_SANDBOX");

	return s != NULL && strcmp(s, "off") == 0;
}

void
sandbox_enter(void)
{
	static int entered;
	struct filter f = { .n = 0 };
	struct sock_fprog prog;

	if (entered || is_off())
		return;
	entered = 1;
	make_filter(&f);
	prog.len = f.n;
	prog.filter = f.v;
	/* SPEC_ALLOW: before Linux 5.16 a filter made all code slower. Where
	 * this fails the kernel has no seccomp, and that is that. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		(void)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		    SECCOMP_FILTER_FLAG_SPEC_ALLOW, &prog);
}

/* Landlock, as linux/landlock.h has it; older headers have less or none. */
enum {
	LL_CREATE = 444,
	LL_ADD = 445,
	LL_RESTRICT = 446,
	LL_VERSION = 1, /* flag of LL_CREATE: which ABI? */
	LL_BENEATH = 1, /* type of rule */
};
#define LL_EXECUTE (UINT64_C(1) << 0)
#define LL_WRITE_FILE (UINT64_C(1) << 1)
#define LL_READ_FILE (UINT64_C(1) << 2)
#define LL_READ_DIR (UINT64_C(1) << 3)
#define LL_REMOVE_DIR (UINT64_C(1) << 4)
#define LL_REMOVE_FILE (UINT64_C(1) << 5)
#define LL_MAKE_DIR (UINT64_C(1) << 7)
#define LL_MAKE_REG (UINT64_C(1) << 8)
#define LL_ALL ((UINT64_C(1) << 13) - 1) /* what the first ABI knows */
#define LL_TRUNCATE (UINT64_C(1) << 14)  /* from the third on */
#define LL_FOLDER                                                              \
	(LL_WRITE_FILE | LL_READ_FILE | LL_READ_DIR | LL_REMOVE_DIR |          \
	    LL_REMOVE_FILE | LL_MAKE_DIR | LL_MAKE_REG)

struct ll_beneath {
	uint64_t access;
	int32_t fd;
} __attribute__((packed));

struct rules {
	int fd;
	uint64_t handled; /* what is refused unless a rule allows it */
};

static void
allow(const struct rules *r, const char *path, uint64_t access)
{
	struct ll_beneath b = { access & r->handled, -1 };
	struct stat st;

	b.fd = open(path, O_PATH | O_CLOEXEC);
	if (b.fd < 0)
		return; /* whoever opens it will say so */
	if (fstat(b.fd, &st) == 0 && !S_ISDIR(st.st_mode))
		b.access &= LL_READ_FILE; /* more is an error for a file */
	(void)syscall(LL_ADD, r->fd, LL_BENEATH, &b, 0);
	close(b.fd);
}

/* The file; and its folder, if SQLite has to make files beside its log. */
static void
allow_profile(const struct rules *r, const char *path)
{
	struct buf b = { NULL, 0, 0 };
	char *real = realpath(path, NULL);

	/* of a folder, for the message that it is one */
	allow(r, path, LL_READ_FILE | LL_READ_DIR);
	if (real == NULL)
		return;
	buf_puts(&b, real);
	buf_puts(&b, "-wal");
	if (access(buf_str(&b), F_OK) == 0)
		allow(r, dirname(real), LL_FOLDER | LL_TRUNCATE);
	else {
		b.len -= strlen("-wal");
		buf_puts(&b, "-journal");
		allow(r, buf_str(&b), LL_READ_FILE);
	}
	buf_free(&b);
	free(real);
}

/* Where we and SQLite put temporary files. */
static void
allow_temporary(const struct rules *r)
{
	const char *ours = getenv("TMPDIR"), *sqlite = getenv("SQLITE_TMPDIR");

	if (sqlite != NULL && *sqlite != '\0')
		allow(r, sqlite, LL_FOLDER | LL_TRUNCATE);
	if (ours != NULL && *ours != '\0') {
		allow(r, ours, LL_FOLDER | LL_TRUNCATE);
		return;
	}
	allow(r, "/tmp", LL_FOLDER | LL_TRUNCATE);
	allow(r, "/var/tmp", LL_FOLDER | LL_TRUNCATE);
}

/* False if the kernel has no Landlock, or nobody wants it. */
static bool
begin_rules(struct rules *r)
{
	long abi = syscall(LL_CREATE, NULL, 0, LL_VERSION);

	*r = (struct rules){ -1, LL_ALL };
	if (abi < 1 || is_off())
		return false;
	if (abi >= 3)
		r->handled |= LL_TRUNCATE;
	r->fd = (int)syscall(LL_CREATE, &r->handled, sizeof(r->handled), 0);
	return r->fd >= 0;
}

/* Adds what every reader may open, and puts the rules into force. */
static void
end_rules(const struct rules *r)
{
	static const char *const also[] = { "/proc/self/statm", "/dev/urandom",
		"/sys/devices/system/cpu/online" };
	size_t k;

	for (k = 0; k < ARRAY_LEN(also); k++)
		allow(r, also[k], LL_READ_FILE);
	allow_temporary(r);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		(void)syscall(LL_RESTRICT, r->fd, 0);
	close(r->fd);
}

void
sandbox_files(char *const *paths, int n)
{
	struct rules r;
	int i;

	if (!begin_rules(&r))
		return;
	for (i = 0; i < n; i++)
		if (paths[i] != NULL && strcmp(paths[i], "-") != 0)
			allow_profile(&r, paths[i]);
	end_rules(&r);
}

void
sandbox_folders(const char *from, const char *to)
{
	struct rules r;
	char *name;

	if (!begin_rules(&r))
		return;
	name = xstrdup(to);
	allow(&r, from, LL_READ_FILE | LL_READ_DIR);
	allow(&r, dirname(name), LL_FOLDER | LL_TRUNCATE);
	free(name);
	end_rules(&r);
}

#else

void
sandbox_enter(void)
{
}

void
sandbox_files(char *const *paths, int n)
{
	(void)paths;
	(void)n;
}

void
sandbox_folders(const char *from, const char *to)
{
	(void)from;
	(void)to;
}

#endif
