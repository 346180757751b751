/* The file that is written; see db.h. */
#include "db.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "err.h"
#include "sqldb.h"

static char *volatile doomed; /* file to remove if we end early */

static void
remove_temp(void)
{
	if (doomed != NULL)
		unlink(doomed);
	doomed = NULL;
}

static void
on_signal(int sig)
{
	if (doomed != NULL)
		unlink(doomed);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
clean_up_later(char *temp)
{
	static const int sigs[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM };
	struct sigaction sa, old;
	size_t i;

	doomed = temp;
	atexit(remove_temp);
	for (i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		memset(&sa, 0, sizeof(sa));
		sa.sa_handler = on_signal;
		sigemptyset(&sa.sa_mask);
		if (sigaction(sigs[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(sigs[i], &sa, NULL);
	}
}

static void
open_file(struct db *db, const char *file)
{
	if (sqldb_write(&db->sql, file) != SQLITE_OK)
		die("%s: %s", db->path, sqlite3_errmsg(db->sql));
	db_exec(db, "PRAGMA journal_mode = MEMORY");
	db_exec(db, "PRAGMA locking_mode = EXCLUSIVE");
	db_exec(db, "PRAGMA ignore_check_constraints = ON");
	db_exec(db, "PRAGMA synchronous = OFF");
	db_exec(db, "PRAGMA cache_size = -65536");
	db_exec(db, "BEGIN");
}

/* A name beside path; SQLite makes the file anew with the mode of others. */
static char *
temp_beside(const char *path)
{
	struct buf b = { 0 };
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	buf_printf(&b, "%s.XXXXXX", path);
	buf_putc(&b, '\0');
	fd = mkstemp(b.s);
	if (fd < 0)
		die_errno("%s", path);
	fchmod(fd, 0666 & ~mask);
	close(fd);
	return b.s;
}

void
db_create(struct db *db, const char *path, bool force)
{
	struct stat st;

	memset(db, 0, sizeof(*db));
	db->path = path;
	if (stat(path, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			die("%s: not a regular file", path);
		if (!force)
			die("%s: exists already; -f writes over it", path);
	} else if (errno != ENOENT)
		die_errno("%s", path);
	db->temp = temp_beside(path);
	clean_up_later(db->temp);
	open_file(db, db->temp);
}

void
db_open(struct db *db, const char *path)
{
	memset(db, 0, sizeof(*db));
	db->path = path;
	open_file(db, path);
}

/* Whoever prepared one keeps it until now. */
static void
close_statements(struct db *db)
{
	sqlite3_stmt *st;

	while ((st = sqlite3_next_stmt(db->sql, NULL)) != NULL)
		sqlite3_finalize(st);
}

void
db_finish(struct db *db)
{
	db_add_free(db);
	db_exec(db, "COMMIT");
	close_statements(db);
	if (sqlite3_close(db->sql) != SQLITE_OK)
		db_fail(db);
	db->sql = NULL;
	if (db->temp == NULL)
		return;
	if (rename(db->temp, db->path) != 0)
		die_errno("%s", db->path);
	doomed = NULL;
	free(db->temp);
	db->temp = NULL;
}

void
db_drop(struct db *db)
{
	db_add_free(db);
	close_statements(db);
	sqlite3_close(db->sql);
	db->sql = NULL;
	remove_temp();
	free(db->temp);
	db->temp = NULL;
}
