/*
 * A point-to-point link between two network namespaces that delays each packet: what
 * "tc netem delay" does, for kernels without netem.
 *
 *   delay-link DELAY_MICROS NEAR_TUN FAR_NAMESPACE FAR_TUN
 *
 * Makes both TUN devices, prints "ready", and forwards until standard input ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define PACKETS 8192
#define LONGEST 2048

struct packet {
	int64_t due;
	int length;
	unsigned char bytes[LONGEST];
};

static struct packet queues[2][PACKETS];
static unsigned head[2], tail[2];

static void fail(const char *what)
{
	fprintf(stderr, "delay-link: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int tun(const char *name)
{
	struct ifreq request;
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
	if (fd < 0)
		fail("/dev/net/tun");
	memset(&request, 0, sizeof(request));
	request.ifr_flags = IFF_TUN | IFF_NO_PI;
	strncpy(request.ifr_name, name, IFNAMSIZ - 1);
	if (ioctl(fd, TUNSETIFF, &request) < 0)
		fail(name);
	return fd;
}

int main(int argc, char **argv)
{
	char path[256];
	struct pollfd fds[3];
	int links[2];
	int64_t delay;
	int ns, i;

	if (argc != 5) {
		fprintf(stderr, "usage: delay-link DELAY_MICROS NEAR_TUN FAR_NAMESPACE FAR_TUN\n");
		return 2;
	}
	delay = atoll(argv[1]) * 1000;
	links[0] = tun(argv[2]);
	snprintf(path, sizeof(path), "/var/run/netns/%s", argv[3]);
	ns = open(path, O_RDONLY);
	if (ns < 0 || setns(ns, CLONE_NEWNET) < 0)
		fail(path);
	links[1] = tun(argv[4]);
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		struct timespec wait, *timeout = NULL;
		int64_t first = INT64_MAX, time = now();
		for (i = 0; i < 2; i++) {
			while (head[i] != tail[i] && queues[i][head[i] % PACKETS].due <= time) {
				struct packet *p = &queues[i][head[i]++ % PACKETS];
				/* A full device drops packets, as links do. */
				if (write(links[1 - i], p->bytes, p->length) < 0 && errno != EAGAIN && errno != EIO)
					fail("write");
			}
			if (head[i] != tail[i] && queues[i][head[i] % PACKETS].due < first)
				first = queues[i][head[i] % PACKETS].due;
			fds[i].fd = links[i];
			fds[i].events = POLLIN;
		}
		fds[2].fd = 0;
		fds[2].events = POLLIN;
		if (first != INT64_MAX) {
			int64_t left = first - now();
			if (left < 0)
				left = 0;
			wait.tv_sec = left / 1000000000LL;
			wait.tv_nsec = left % 1000000000LL;
			timeout = &wait;
		}
		if (ppoll(fds, 3, timeout, NULL) < 0 && errno != EINTR)
			fail("poll");
		for (i = 0; i < 2; i++) {
			while (tail[i] - head[i] < PACKETS) {
				struct packet *p = &queues[i][tail[i] % PACKETS];
				p->length = read(links[i], p->bytes, LONGEST);
				if (p->length <= 0)
					break;
				p->due = now() + delay;
				tail[i]++;
			}
		}
		if (fds[2].revents) {
			char byte;
			if (read(0, &byte, 1) <= 0)
				return 0;
		}
	}
}
