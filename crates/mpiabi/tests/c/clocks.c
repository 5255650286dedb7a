/* Clocks that a program reads outside of MPI agree with MPI_Wtime; sleeps take simulated time;
 * every loop that waits for a time ends. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

/* Sleeps are so long that the test's time limit would notice real ones. Waits with a timeout are
 * real, and short. */
#define LONG 100000.0
#define SHORT 0.001

static double of(struct timespec t) { return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }

static double at(clockid_t clock)
{
    struct timespec t;
    CHECK(clock_gettime(clock, &t) == 0);
    return of(t);
}

static double day(void)
{
    struct timeval t;
    CHECK(gettimeofday(&t, NULL) == 0);
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static struct timespec after(clockid_t clock, double seconds)
{
    double then = at(clock) + seconds;
    struct timespec t = {(time_t)then, 0};
    t.tv_nsec = (long)((then - (double)t.tv_sec) * 1e9);
    return t;
}

/* Without odonata run all clocks are real, and their relation is unknown. */
static int simulated;

/* `now` is later than `then` by `span`, or slightly more. */
static void passed(double then, double now, double span)
{
    CHECK(now - then >= span * (1 - 1e-6) - 1e-6);
    if (simulated) CHECK(now - then < span * (1 + 1e-6) + 1e-3);
}

static void readings(void)
{
    clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC,
                          CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME, CLOCK_TAI};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        double first = at(clocks[i]), mpi = MPI_Wtime();
        MPI_Barrier(MPI_COMM_WORLD);
        mpi = MPI_Wtime() - mpi;
        /* A real coarse clock advances by ticks of milliseconds, and the scheduler may suspend the
         * process within the barrier: such a clock may then show less than the barrier took. */
        if (simulated) passed(first, at(clocks[i]), mpi);
        CHECK(at(clocks[i]) >= first);
    }
    if (simulated) {
        CHECK(time(NULL) == (time_t)day());
        CHECK(at(CLOCK_REALTIME) - day() < 1e-3 && at(CLOCK_REALTIME) - day() > -1e-3);
        struct timespec t;
        CHECK(timespec_get(&t, TIME_UTC) == TIME_UTC && of(t) >= 0.001 + day() - 0.002);
        /* The default date is 1 January 2026, and the job began then. */
        CHECK(day() >= 1767225600 && day() < 1767225600 + 3600);
    }
    struct timespec t;
    CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0 && of(t) < 1000);
    CHECK(clock_gettime(12345, &t) == -1 && errno == EINVAL);
}

static void loops(void)
{
    double end = at(CLOCK_MONOTONIC) + 1e-4;
    while (at(CLOCK_MONOTONIC) < end);
    end = day() + 1e-4;
    while (day() < end);
}

static void sleeps(void)
{
    double span = simulated ? LONG : SHORT, then = at(CLOCK_MONOTONIC), mpi = MPI_Wtime();
    struct timespec t = {(time_t)span, simulated ? 0 : 1000000};
    CHECK(nanosleep(&t, NULL) == 0);
    passed(then, at(CLOCK_MONOTONIC), span);
    passed(mpi, MPI_Wtime(), span);
    then = at(CLOCK_REALTIME);
    CHECK(clock_nanosleep(CLOCK_REALTIME, 0, &t, NULL) == 0);
    passed(then, at(CLOCK_REALTIME), span);
    then = at(CLOCK_MONOTONIC);
    struct timespec until = after(CLOCK_MONOTONIC, span);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
    passed(then, at(CLOCK_MONOTONIC), span);
    then = day();
    CHECK(usleep(1000) == 0);
    passed(then, day(), 0.001);
    if (simulated) {
        then = day();
        CHECK(sleep((unsigned)LONG) == 0);
        passed(then, day(), LONG);
        then = day();
        struct timeval tv = {(time_t)LONG, 0};
        CHECK(select(0, NULL, NULL, NULL, &tv) == 0);
        passed(then, day(), LONG);
        then = day();
        CHECK(poll(NULL, 0, 1000000) == 0);
        passed(then, day(), 1000);
    }
    t.tv_nsec = -1;
    CHECK(nanosleep(&t, NULL) == -1 && errno == EINVAL);
}

/* Nothing arrives, so the timeout expires. */
static void waits(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t of_day = PTHREAD_COND_INITIALIZER, of_boot;
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&of_boot, &attr);
    sem_t sem;
    sem_init(&sem, 0, 0);

    pthread_mutex_lock(&mutex);
    double then = at(CLOCK_REALTIME);
    struct timespec t = after(CLOCK_REALTIME, SHORT);
    CHECK(pthread_cond_timedwait(&of_day, &mutex, &t) == ETIMEDOUT);
    passed(then, at(CLOCK_REALTIME), SHORT);
    then = at(CLOCK_MONOTONIC);
    t = after(CLOCK_MONOTONIC, SHORT);
    CHECK(pthread_cond_timedwait(&of_boot, &mutex, &t) == ETIMEDOUT);
    passed(then, at(CLOCK_MONOTONIC), SHORT);
    t = after(CLOCK_MONOTONIC, SHORT);
    CHECK(pthread_cond_clockwait(&of_day, &mutex, CLOCK_MONOTONIC, &t) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);

    then = day();
    t = after(CLOCK_REALTIME, SHORT);
    CHECK(sem_timedwait(&sem, &t) == -1 && errno == ETIMEDOUT);
    passed(then, day(), SHORT);
    t = after(CLOCK_REALTIME, -1);
    CHECK(sem_timedwait(&sem, &t) == -1 && errno == ETIMEDOUT);
    sem_post(&sem);
    t = after(CLOCK_REALTIME, LONG);
    CHECK(sem_timedwait(&sem, &t) == 0);

    int pipe_[2];
    CHECK(pipe(pipe_) == 0);
    struct pollfd fd = {pipe_[0], POLLIN, 0};
    then = day();
    CHECK(poll(&fd, 1, 1) == 0);
    passed(then, day(), 0.001);
    CHECK(write(pipe_[1], "x", 1) == 1 && poll(&fd, 1, 1000000) == 1);
}

static void *elsewhere(void *unused)
{
    (void)unused;
    /* A thread that never calls MPI: its sleeps are real, and its loops end. */
    double then = at(CLOCK_MONOTONIC), end = then + SHORT;
    CHECK(usleep(1000) == 0);
    CHECK(at(CLOCK_MONOTONIC) >= end);
    end = at(CLOCK_REALTIME) + 1e-4;
    while (at(CLOCK_REALTIME) < end);
    return NULL;
}

int main(int argc, char **argv)
{
    double limit = at(CLOCK_MONOTONIC) + 1e-4;
    while (at(CLOCK_MONOTONIC) < limit);
    begin(&argc, &argv);
    simulated = getenv("ODONATA_RANK") != NULL;
    CHECK(at(CLOCK_MONOTONIC) >= limit);
    readings();
    loops();
    sleeps();
    waits();
    pthread_t thread;
    pthread_create(&thread, NULL, elsewhere, NULL);
    pthread_join(thread, NULL);
    if (simulated) {
        /* A child of the rank has the real clock: its date is later than the time of this test's
         * writing. */
        FILE *date = popen("date +%s", "r");
        long long seconds = 0;
        CHECK(fscanf(date, "%lld", &seconds) == 1 && seconds > 1767225600 + 20 * 86400);
        pclose(date);
    }
    double then = at(CLOCK_MONOTONIC);
    int status = end("clocks");
    limit = at(CLOCK_MONOTONIC) + 1e-4;
    while (at(CLOCK_MONOTONIC) < limit);
    return status | !(limit > then);
}
