/*
 * Runs a command and appends one line to a file: label, wall and CPU
 * seconds, largest resident memory in KB, exit status, separated by TABs.
 * What time(1) would tell, for each stage of a pipeline.
 *
 * usage: meas FILE LABEL COMMAND...
 */
#define _DEFAULT_SOURCE /* wait4 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int
main(int argc, char **argv)
{
	struct rusage u;
	double t = now();
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 4) {
		fprintf(stderr, "usage: meas FILE LABEL COMMAND...\n");
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		execvp(argv[3], argv + 3);
		perror(argv[3]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &u) < 0) {
		perror("meas");
		return 2;
	}
	t = now() - t;
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
	f = fopen(argv[1], "a");
	if (f == NULL) {
		perror(argv[1]);
		return 2;
	}
	fprintf(f, "%s\t%.3f\t%.3f\t%ld\t%d\n", argv[2], t,
	    seconds(u.ru_utime) + seconds(u.ru_stime), u.ru_maxrss, status);
	if (fclose(f) != 0) {
		perror(argv[1]);
		return 2;
	}
	return status;
}
