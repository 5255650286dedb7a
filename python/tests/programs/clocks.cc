// The clocks and waits of C++ are in simulated time: sleeps of days take no time, waits end.
#include <mpi.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>

using namespace std::chrono;

static int wrong;

template <class Clock, class Act>
static void took(const char *what, double span, Act act)
{
    auto then = Clock::now();
    double mpi = MPI_Wtime();
    act();
    double by_clock = duration<double>(Clock::now() - then).count();
    double by_mpi = MPI_Wtime() - mpi;
    if (by_clock < span - 1e-6 || by_clock > span + 1e-3 || by_mpi < span - 1e-6) {
        std::fprintf(stderr, "%s: %g s by its clock, %g by MPI's, not %g\n", what, by_clock, by_mpi,
                     span);
        wrong++;
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const hours days(48);
    const milliseconds moment(2);
    const double long_s = 48 * 3600, short_s = 0.002;
    took<system_clock>("sleep_for", long_s, [&] { std::this_thread::sleep_for(days); });
    took<steady_clock>("sleep_for", long_s, [&] { std::this_thread::sleep_for(days); });
    took<steady_clock>("sleep_until", long_s,
                       [&] { std::this_thread::sleep_until(steady_clock::now() + days); });
    took<system_clock>("sleep_until", long_s,
                       [&] { std::this_thread::sleep_until(system_clock::now() + days); });
    std::mutex mutex;
    std::condition_variable never;
    took<steady_clock>("condition_variable", short_s, [&] {
        std::unique_lock<std::mutex> lock(mutex);
        never.wait_for(lock, moment, [] { return false; });
    });
    took<system_clock>("condition_variable until", short_s, [&] {
        std::unique_lock<std::mutex> lock(mutex);
        auto limit = system_clock::now() + moment;
        never.wait_until(lock, limit, [] { return false; });
    });
    std::timed_mutex busy;
    busy.lock();
    std::promise<int> promise;
    auto future = promise.get_future();
    took<steady_clock>("future", short_s, [&] { future.wait_for(moment); });
    took<system_clock>("future until", short_s,
                       [&] { future.wait_until(system_clock::now() + moment); });
    // A thread that never calls MPI answers.
    std::thread other([&] {
        std::this_thread::sleep_for(moment);
        promise.set_value(7);
    });
    if (future.wait_for(days) != std::future_status::ready) wrong++;
    if (std::async(std::launch::async, [&] { return busy.try_lock_for(moment); }).get()) wrong++;
    other.join();
    if (!wrong) std::puts("good");
    MPI_Finalize();
    return wrong;
}
