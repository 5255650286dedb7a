/* Parallel HDF5: a contiguous, a chunked and a compressed dataset, written by independent and
 * collective transfers of hyperslabs and read back by other ranks.
 *
 * Usage: hdf5 FILE. Every element is tested; rank 0 prints `hdf5: N elements verified`. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 24, COLUMNS = 300, STEPS = 3 };

static int me, np;
static long long verified;

#define DIE(...)                         \
    do {                                 \
        fprintf(stderr, __VA_ARGS__);    \
        fputc('\n', stderr);             \
        MPI_Abort(MPI_COMM_WORLD, 1);    \
    } while (0)
/* A call of HDF5 that returns a negative number on failure. */
#define TRY(call) check((long long)(call), #call)

static long long check(long long result, const char *call)
{
    if (result < 0)
        DIE("rank %d: %s failed", me, call);
    return result;
}

static int value(int step, hsize_t row, hsize_t column)
{
    return (int)(step * 1000000 + row * COLUMNS + column);
}

static hid_t transfer(int collective)
{
    hid_t list = TRY(H5Pcreate(H5P_DATASET_XFER));
    TRY(H5Pset_dxpl_mpio(list, collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT));
    return list;
}

/* The part of a rank: rows in turn if `cyclic`, a band of columns otherwise. */
static hid_t part_of(hid_t space, int rank, int cyclic, hsize_t count[2])
{
    hsize_t rows = (hsize_t)ROWS * np;
    hsize_t start[2] = {cyclic ? rank : 0, cyclic ? 0 : (hsize_t)COLUMNS * rank / np};
    hsize_t end = (hsize_t)COLUMNS * (rank + 1) / np;
    hsize_t stride[2] = {cyclic ? np : 1, 1};
    count[0] = cyclic ? ROWS : rows;
    count[1] = cyclic ? COLUMNS : end - start[1];
    TRY(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL));
    return TRY(H5Screate_simple(2, count, NULL));
}

static void access_part(hid_t set, int writes, int step, int rank, int cyclic, int collective)
{
    hsize_t count[2];
    hid_t space = TRY(H5Dget_space(set)), list = transfer(collective);
    hid_t memory = part_of(space, rank, cyclic, count);
    hsize_t first = cyclic ? rank : 0, by = cyclic ? np : 1;
    hsize_t left = cyclic ? 0 : (hsize_t)COLUMNS * rank / np;
    int *data = malloc(count[0] * count[1] * sizeof *data + 1);
    for (hsize_t i = 0; i < count[0]; i++)
        for (hsize_t j = 0; j < count[1]; j++)
            data[i * count[1] + j] = writes ? value(step, first + i * by, left + j) : -1;
    if (writes) {
        TRY(H5Dwrite(set, H5T_NATIVE_INT, memory, space, list, data));
    } else {
        TRY(H5Dread(set, H5T_NATIVE_INT, memory, space, list, data));
        for (hsize_t i = 0; i < count[0]; i++)
            for (hsize_t j = 0; j < count[1]; j++, verified++)
                if (data[i * count[1] + j] != value(step, first + i * by, left + j))
                    DIE("rank %d: step %d, row %d, column %d: %d", me, step,
                        (int)(first + i * by), (int)(left + j), data[i * count[1] + j]);
    }
    free(data);
    H5Sclose(memory);
    H5Sclose(space);
    H5Pclose(list);
}

static hid_t open_file(const char *name, int create)
{
    hid_t access = TRY(H5Pcreate(H5P_FILE_ACCESS)), file;
    TRY(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL));
    TRY(H5Pset_alignment(access, 1000, 4096));
    if (create)
        file = TRY(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access));
    else
        file = TRY(H5Fopen(name, H5F_ACC_RDWR, access));
    H5Pclose(access);
    return file;
}

static const char *const KINDS[] = {"contiguous", "chunked", "compressed"};

static void write_sets(hid_t file, int step)
{
    hsize_t sizes[2] = {(hsize_t)ROWS * np, COLUMNS}, chunk[2] = {7, 64};
    char name[32];
    snprintf(name, sizeof name, "step%d", step);
    hid_t group = TRY(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (int kind = 0; kind < 3; kind++) {
        hid_t layout = TRY(H5Pcreate(H5P_DATASET_CREATE));
        if (kind > 0)
            TRY(H5Pset_chunk(layout, 2, chunk));
        if (kind == 2)
            TRY(H5Pset_deflate(layout, 4));
        hid_t space = TRY(H5Screate_simple(2, sizes, NULL));
        hid_t set = TRY(H5Dcreate2(group, KINDS[kind], H5T_NATIVE_INT, space, H5P_DEFAULT, layout,
                                   H5P_DEFAULT));
        /* HDF5 writes compressed chunks collectively only. */
        access_part(set, 1, step, me, step % 2, kind == 2 || step != 1);
        hid_t scalar = TRY(H5Screate(H5S_SCALAR));
        hid_t attribute =
            TRY(H5Acreate2(set, "step", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
        TRY(H5Awrite(attribute, H5T_NATIVE_INT, &step));
        H5Aclose(attribute);
        H5Sclose(scalar);
        H5Dclose(set);
        H5Sclose(space);
        H5Pclose(layout);
    }
    H5Gclose(group);
}

static void read_sets(hid_t file, int step)
{
    for (int kind = 0; kind < 3; kind++) {
        char name[64];
        int stored;
        snprintf(name, sizeof name, "step%d/%s", step, KINDS[kind]);
        hid_t set = TRY(H5Dopen2(file, name, H5P_DEFAULT));
        for (int cyclic = 0; cyclic < 2; cyclic++)
            for (int collective = 0; collective < 2; collective++)
                access_part(set, 0, step, (me + 1) % np, cyclic, collective);
        hid_t attribute = TRY(H5Aopen(set, "step", H5P_DEFAULT));
        TRY(H5Aread(attribute, H5T_NATIVE_INT, &stored));
        if (stored != step)
            DIE("attribute of %s: %d", name, stored);
        H5Aclose(attribute);
        H5Dclose(set);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    if (argc < 2)
        DIE("usage: hdf5 FILE");
    hid_t file = open_file(argv[1], 1);
    write_sets(file, 0);
    H5Fclose(file);
    for (int step = 1; step < STEPS; step++) {
        file = open_file(argv[1], 0);
        write_sets(file, step);
        TRY(H5Fflush(file, H5F_SCOPE_GLOBAL));
        read_sets(file, step);
        H5Fclose(file);
    }
    file = open_file(argv[1], 0);
    for (int step = 0; step < STEPS; step++)
        read_sets(file, step);
    H5Fclose(file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        /* The same data by one process, without MPI-IO. */
        file = TRY(H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT));
        size_t elements = (size_t)ROWS * np * COLUMNS;
        int *all = malloc(elements * sizeof *all);
        for (int step = 0; step < STEPS; step++)
            for (int kind = 0; kind < 3; kind++) {
                char name[64];
                snprintf(name, sizeof name, "step%d/%s", step, KINDS[kind]);
                hid_t set = TRY(H5Dopen2(file, name, H5P_DEFAULT));
                TRY(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all));
                for (size_t i = 0; i < elements; i++, verified++)
                    if (all[i] != value(step, i / COLUMNS, i % COLUMNS))
                        DIE("%s: element %zu: %d", name, i, all[i]);
                H5Dclose(set);
            }
        free(all);
        H5Fclose(file);
    }
    long long total;
    MPI_Reduce(&verified, &total, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me == 0)
        printf("hdf5: %lld elements verified\n", total);
    MPI_Finalize();
    return 0;
}
