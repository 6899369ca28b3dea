/*
 * What the kernel takes to wake another process and be woken by it: round trips of two
 * processes over a futex, a pair of FIFOs, or a unix domain socket. Prints the median in
 * microseconds, the processor time of both processes per round trip, and the count.
 *
 *   floor futex|fifo|uds BYTES MILLISECONDS DIRECTORY [CALLER ANSWERER]
 *
 * BYTES are what a message of uds has; the others carry nothing. CALLER and ANSWERER are
 * the numbers of the processors to which the two processes are bound, if they are.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_SAMPLES (1 << 20)

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static double cpu_micros(int who)
{
	struct rusage usage;
	getrusage(who, &usage);
	return usage.ru_utime.tv_sec * 1e6 + usage.ru_utime.tv_usec + usage.ru_stime.tv_sec * 1e6 + usage.ru_stime.tv_usec;
}

/* Two words, on lines of their own: 1 is a message to the side that waits there. */
struct words {
	_Alignas(128) _Atomic int request;
	_Alignas(128) _Atomic int answer;
};

static void wait_for(_Atomic int *word)
{
	while (atomic_exchange(word, 0) == 0) {
		syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
	}
}

static void wake(_Atomic int *word)
{
	atomic_store(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void send_all(int fd, const char *buffer, size_t bytes)
{
	while (bytes > 0) {
		ssize_t count = write(fd, buffer, bytes);
		if (count <= 0) {
			exit(0);
		}
		buffer += count;
		bytes -= count;
	}
}

static void receive_all(int fd, char *buffer, size_t bytes)
{
	while (bytes > 0) {
		ssize_t count = read(fd, buffer, bytes);
		if (count <= 0) {
			exit(0);
		}
		buffer += count;
		bytes -= count;
	}
}

static int compare(const void *one, const void *other)
{
	int64_t a = *(const int64_t *) one;
	int64_t b = *(const int64_t *) other;
	return (a > b) - (a < b);
}

static void bind_to(const char *processor)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(atoi(processor), &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0) {
		fail("sched_setaffinity");
	}
}

int main(int count, char **arguments)
{
	if (count != 5 && count != 7) {
		fprintf(stderr, "usage: floor futex|fifo|uds BYTES MILLISECONDS DIRECTORY [CALLER ANSWERER]\n");
		return 2;
	}
	const char *kind = arguments[1];
	size_t bytes = strtoul(arguments[2], NULL, 10);
	int64_t duration = strtoll(arguments[3], NULL, 10) * 1000000LL;
	int futex = strcmp(kind, "futex") == 0;
	char *buffer = calloc(1, bytes + 1);
	struct words *words = mmap(NULL, sizeof(*words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int sockets[2];
	int caller_out = -1, caller_in = -1, answerer_out = -1, answerer_in = -1;
	if (words == MAP_FAILED || buffer == NULL) {
		fail("memory");
	}
	if (strcmp(kind, "fifo") == 0) {
		char there[PATH_MAX], back[PATH_MAX];
		snprintf(there, sizeof(there), "%s/floor-there", arguments[4]);
		snprintf(back, sizeof(back), "%s/floor-back", arguments[4]);
		unlink(there);
		unlink(back);
		if (mkfifo(there, 0600) != 0 || mkfifo(back, 0600) != 0) {
			fail("mkfifo");
		}
		caller_out = answerer_in = open(there, O_RDWR);
		caller_in = answerer_out = open(back, O_RDWR);
		unlink(there);
		unlink(back);
		bytes = 1;
	}
	else if (!futex) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) {
			fail("socketpair");
		}
		caller_out = caller_in = sockets[0];
		answerer_out = answerer_in = sockets[1];
	}
	pid_t child = fork();
	if (child < 0) {
		fail("fork");
	}
	if (count == 7) {
		bind_to(arguments[child == 0 ? 6 : 5]);
	}
	if (child == 0) {
		for (;;) {
			if (futex) {
				wait_for(&words->request);
				wake(&words->answer);
			}
			else {
				receive_all(answerer_in, buffer, bytes);
				send_all(answerer_out, buffer, bytes);
			}
		}
	}
	int64_t *samples = malloc(MAX_SAMPLES * sizeof(*samples));
	int taken = 0;
	int64_t before = now();
	int64_t end = before + duration;
	while (before < end && taken < MAX_SAMPLES) {
		if (futex) {
			wake(&words->request);
			wait_for(&words->answer);
		}
		else {
			send_all(caller_out, buffer, bytes);
			receive_all(caller_in, buffer, bytes);
		}
		int64_t after = now();
		samples[taken++] = after - before;
		before = after;
	}
	kill(child, 9);
	waitpid(child, NULL, 0);
	double cpu = cpu_micros(RUSAGE_SELF) + cpu_micros(RUSAGE_CHILDREN);
	qsort(samples, taken, sizeof(*samples), compare);
	printf("%.3f %.3f %d\n", samples[taken / 2] / 1e3, cpu / taken, taken);
	return 0;
}
