/* Writes a checkpoint of 4 MiB per rank: record i of rank r, 64 KiB long, is at (i * ranks + r) *
 * 64 KiB of the file, as in a mesh that is stored plane by plane.
 *
 *     checkpoint posix PATH            each rank writes its records by itself
 *     checkpoint files PATH            each rank writes a file of its own, PATH.RANK
 *     checkpoint mpiio PATH [STRIPES]  all ranks write together with MPI-IO */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORDS = 64, BYTES = 64 << 10 };

static int rank, ranks;

static void write_alone(const char *path, const char *data, int shared) {
    char own[4096];
    snprintf(own, sizeof own, shared ? "%s" : "%s.%d", path, rank);
    int fd = open(own, O_CREAT | O_WRONLY, 0666);
    for (int i = 0; i < RECORDS; i++) {
        off_t at = (off_t)(shared ? i * ranks + rank : i) * BYTES;
        if (pwrite(fd, data + (size_t)i * BYTES, BYTES, at) != BYTES) {
            perror(own);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    fsync(fd);
    close(fd);
}

static void write_together(const char *path, const char *data, const char *stripes) {
    MPI_File file;
    MPI_Datatype mine;
    MPI_Info hints;
    MPI_Type_vector(RECORDS, BYTES, ranks * BYTES, MPI_BYTE, &mine);
    MPI_Type_commit(&mine);
    MPI_Info_create(&hints);
    if (stripes) MPI_Info_set(hints, "striping_factor", stripes);
    int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
    if (MPI_File_open(MPI_COMM_WORLD, path, mode, hints, &file) != MPI_SUCCESS) {
        fprintf(stderr, "cannot open %s\n", path);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_File_set_view(file, (MPI_Offset)rank * BYTES, MPI_BYTE, mine, "native", hints);
    MPI_File_write_all(file, data, RECORDS * BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_close(&file);
    MPI_Info_free(&hints);
    MPI_Type_free(&mine);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3) {
        if (rank == 0) fprintf(stderr, "checkpoint posix|files|mpiio PATH [STRIPES]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const char *how = argv[1], *path = argv[2];
    char *data = malloc((size_t)RECORDS * BYTES);
    memset(data, 'a' + rank % 26, (size_t)RECORDS * BYTES);
    access(path, F_OK); /* the first access of a process connects it to DAOS */
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    if (strcmp(how, "mpiio") == 0)
        write_together(path, data, argc > 3 ? argv[3] : NULL);
    else
        write_alone(path, data, strcmp(how, "posix") == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    double took = MPI_Wtime() - start;
    if (rank == 0)
        printf("%s: %.4g ms, %.3g GB/s\n", how, took * 1e3, 1e-9 * RECORDS * BYTES * ranks / took);
    free(data);
    MPI_Finalize();
    return 0;
}
