/* Common parts of the storms: reproducible draws, hashes, and an abort with a reason. */
#ifndef STORM_H
#define STORM_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A finalizer of splitmix64: every bit of the input reaches every bit of the output. */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* A stream of draws, equal for equal seeds. */
typedef struct {
    uint64_t state;
} Draws;

static uint64_t draw(Draws *d)
{
    d->state += 0x9e3779b97f4a7c15u;
    return mix(d->state);
}
/* One of 0 .. n-1. */
static int below(Draws *d, int n)
{
    return (int)(draw(d) % (uint64_t)n);
}
static int chance(Draws *d, int percent)
{
    return below(d, 100) < percent;
}

static uint64_t fold(uint64_t hash, uint64_t value)
{
    return mix(hash * 0x100000001b3u + value);
}
static uint64_t fold_bytes(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t word;
    for (; bytes >= 8; bytes -= 8, at += 8) {
        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (; bytes > 0; bytes--, at++)
        hash = fold(hash, *at);
    return mix(hash);
}
/* Bytes that identify their origin. */
static void fill(void *out, size_t bytes, uint64_t key)
{
    unsigned char *at = out;
    uint64_t word;
    for (size_t i = 0; i < bytes; i += 8) {
        word = mix(key + i);
        memcpy(at + i, &word, bytes - i < 8 ? bytes - i : 8);
    }
}

#define DIE(...)                         \
    do {                                 \
        fprintf(stderr, __VA_ARGS__);    \
        fputc('\n', stderr);             \
        MPI_Abort(MPI_COMM_WORLD, 1);    \
    } while (0)

static void *need(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (!memory)
        DIE("no memory for %zu bytes", bytes);
    return memory;
}

#endif
