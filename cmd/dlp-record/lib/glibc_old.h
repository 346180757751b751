/*
 * Included before each file of the recorder's library: asks glibc for the
 * versions of its functions that are in each glibc since 2.17, because the
 * library is loaded into programs of machines that are older than the one that
 * built it. The linker would take the newest. Those that moved from libpthread
 * and libdl are found there by an older glibc, which is why the library names
 * both as needed.
 */
#pragma once

/* The compiler's own macro: no header may precede those of a file. */
#if defined(__gnu_linux__) && defined(__x86_64__)
#define OLD "2.2.5"
#define OLD_NAME "2.12"
#elif defined(__gnu_linux__) && defined(__aarch64__)
#define OLD "2.17"
#define OLD_NAME "2.17"
#endif

#ifdef OLD
#define OLD_GLIBC(name, version)                                               \
	__asm__(".symver " #name "," #name "@GLIBC_" version)

OLD_GLIBC(dladdr, OLD);
OLD_GLIBC(dlclose, OLD);
OLD_GLIBC(dlopen, OLD);
OLD_GLIBC(dlsym, OLD);
OLD_GLIBC(glob, OLD);
OLD_GLIBC(pthread_attr_setstacksize, OLD);
OLD_GLIBC(pthread_create, OLD);
OLD_GLIBC(pthread_key_create, OLD);
OLD_GLIBC(pthread_mutex_trylock, OLD);
OLD_GLIBC(pthread_setname_np, OLD_NAME);
OLD_GLIBC(pthread_setspecific, OLD);
OLD_GLIBC(pthread_sigmask, OLD);

#undef OLD_GLIBC
#undef OLD
#undef OLD_NAME
#endif
