/* Preloaded: as soon as the file that SET_BACK names is there, the wall clock goes an hour behind. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t behind(void) {
    const char *file = getenv("SET_BACK");
    return file != NULL && access(file, F_OK) == 0 ? 3600 : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failure = syscall(SYS_clock_gettime, clock, now);
    if (!failure && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        now->tv_sec -= behind();
    }
    return failure;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec read;
    (void) zone;
    int failure = clock_gettime(CLOCK_REALTIME, &read);
    now->tv_sec = read.tv_sec;
    now->tv_usec = read.tv_nsec / 1000;
    return failure;
}

time_t time(time_t *now) {
    struct timespec read;
    clock_gettime(CLOCK_REALTIME, &read);
    if (now != NULL) {
        *now = read.tv_sec;
    }
    return read.tv_sec;
}
