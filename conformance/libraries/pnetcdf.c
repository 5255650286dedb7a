/* PnetCDF: fixed and record variables, written by collective, independent and non-blocking calls,
 * and read back by other ranks.
 *
 * Usage: pnetcdf FILE. Every element is tested; rank 0 prints `pnetcdf: N elements verified`. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 16, COLUMNS = 200, RECORDS = 4, PIECES = 5 };

static int me, np;
static long long verified;

#define DIE(...)                         \
    do {                                 \
        fprintf(stderr, __VA_ARGS__);    \
        fputc('\n', stderr);             \
        MPI_Abort(MPI_COMM_WORLD, 1);    \
    } while (0)
#define TRY(call)                                                             \
    do {                                                                      \
        int code_ = (call);                                                   \
        if (code_ != NC_NOERR)                                                \
            DIE("rank %d: %s: %s", me, #call, ncmpi_strerror(code_));         \
    } while (0)

static double value(int variable, long long row, long long column)
{
    return variable * 1e6 + (double)row * COLUMNS + (double)column;
}

/* Columns of a rank. */
static void band(int rank, MPI_Offset *first, MPI_Offset *count)
{
    *first = (MPI_Offset)COLUMNS * rank / np;
    *count = (MPI_Offset)COLUMNS * (rank + 1) / np - *first;
}

static double *part(int variable, MPI_Offset rows, MPI_Offset row, MPI_Offset first, MPI_Offset n)
{
    double *data = malloc(rows * n * sizeof *data + 1);
    for (MPI_Offset i = 0; i < rows; i++)
        for (MPI_Offset j = 0; j < n; j++)
            data[i * n + j] = value(variable, row + i, first + j);
    return data;
}

static void verify(const double *data, int variable, MPI_Offset rows, MPI_Offset row,
                   MPI_Offset first, MPI_Offset n)
{
    for (MPI_Offset i = 0; i < rows; i++)
        for (MPI_Offset j = 0; j < n; j++, verified++)
            if (data[i * n + j] != value(variable, row + i, first + j))
                DIE("rank %d: variable %d, row %lld, column %lld: %g", me, variable,
                    (long long)(row + i), (long long)(first + j), data[i * n + j]);
}

static void write_all(int file, const int *variables)
{
    MPI_Offset first, n;
    band(me, &first, &n);
    /* 0: collective, columns. */
    MPI_Offset start[2] = {0, first}, count[2] = {(MPI_Offset)ROWS * np, n};
    double *data = part(0, count[0], 0, first, n);
    TRY(ncmpi_put_vara_double_all(file, variables[0], start, count, data));
    free(data);
    /* 1: independent, rows. */
    MPI_Offset rows[2] = {(MPI_Offset)ROWS * me, 0}, whole[2] = {ROWS, COLUMNS};
    data = part(1, ROWS, rows[0], 0, COLUMNS);
    TRY(ncmpi_begin_indep_data(file));
    TRY(ncmpi_put_vara_double(file, variables[1], rows, whole, data));
    TRY(ncmpi_end_indep_data(file));
    free(data);
    /* 2: strided: every np-th row. */
    MPI_Offset at[2] = {me, 0}, stride[2] = {np, 1};
    data = malloc(ROWS * COLUMNS * sizeof *data);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            data[i * COLUMNS + j] = value(2, me + (long long)i * np, j);
    TRY(ncmpi_put_vars_double_all(file, variables[2], at, whole, stride, data));
    free(data);
    /* 3: record variable, in non-blocking pieces of rows; 4: the same, buffered. */
    int requests[2 * PIECES], states[2 * PIECES];
    double *pieces[PIECES];
    TRY(ncmpi_buffer_attach(file, (MPI_Offset)RECORDS * PIECES * n * sizeof(double) + 1));
    for (int piece = 0; piece < PIECES; piece++) {
        MPI_Offset from[2] = {(MPI_Offset)piece * RECORDS, first}, size[2] = {RECORDS, n};
        pieces[piece] = part(3, RECORDS, from[0], first, n);
        TRY(ncmpi_iput_vara_double(file, variables[3], from, size, pieces[piece],
                                   &requests[piece]));
        data = part(4, RECORDS, from[0], first, n);
        TRY(ncmpi_bput_vara_double(file, variables[4], from, size, data,
                                   &requests[PIECES + piece]));
        free(data);
    }
    TRY(ncmpi_wait_all(file, 2 * PIECES, requests, states));
    for (int i = 0; i < 2 * PIECES; i++)
        TRY(states[i]);
    for (int piece = 0; piece < PIECES; piece++)
        free(pieces[piece]);
    TRY(ncmpi_buffer_detach(file));
}

static void read_all(int file, const int *variables)
{
    MPI_Offset first, n, total = (MPI_Offset)ROWS * np;
    band((me + 1) % np, &first, &n);
    for (int variable = 0; variable < 5; variable++) {
        MPI_Offset rows = variable < 3 ? total : RECORDS * PIECES;
        MPI_Offset start[2] = {0, first}, count[2] = {rows, n};
        double *data = calloc(rows * n + 1, sizeof *data);
        TRY(ncmpi_get_vara_double_all(file, variables[variable], start, count, data));
        verify(data, variable, rows, 0, first, n);
        memset(data, 0, rows * n * sizeof *data);
        int request, state;
        TRY(ncmpi_iget_vara_double(file, variables[variable], start, count, data, &request));
        TRY(ncmpi_wait_all(file, 1, &request, &state));
        TRY(state);
        verify(data, variable, rows, 0, first, n);
        TRY(ncmpi_begin_indep_data(file));
        TRY(ncmpi_get_vara_double(file, variables[variable], start, count, data));
        verify(data, variable, rows, 0, first, n);
        TRY(ncmpi_end_indep_data(file));
        free(data);
    }
}

int main(int argc, char **argv)
{
    int file, axes[2], record[2], variables[5];
    static const char *const NAMES[] = {"columns", "rows", "strided", "pieces", "buffered"};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    if (argc < 2)
        DIE("usage: pnetcdf FILE");
    for (int format = 0; format < 2; format++) {
        int mode = NC_CLOBBER | (format ? NC_64BIT_DATA : NC_64BIT_OFFSET);
        TRY(ncmpi_create(MPI_COMM_WORLD, argv[1], mode, MPI_INFO_NULL, &file));
        TRY(ncmpi_def_dim(file, "row", (MPI_Offset)ROWS * np, &axes[0]));
        TRY(ncmpi_def_dim(file, "column", COLUMNS, &axes[1]));
        TRY(ncmpi_def_dim(file, "time", NC_UNLIMITED, &record[0]));
        record[1] = axes[1];
        for (int i = 0; i < 5; i++)
            TRY(ncmpi_def_var(file, NAMES[i], NC_DOUBLE, 2, i < 3 ? axes : record, &variables[i]));
        TRY(ncmpi_put_att_text(file, NC_GLOBAL, "title", 7, "testing"));
        TRY(ncmpi_enddef(file));
        write_all(file, variables);
        TRY(ncmpi_sync(file));
        read_all(file, variables);
        TRY(ncmpi_close(file));
        /* Reopen, add an attribute, read again. */
        char title[8] = "";
        TRY(ncmpi_open(MPI_COMM_WORLD, argv[1], NC_WRITE, MPI_INFO_NULL, &file));
        TRY(ncmpi_redef(file));
        TRY(ncmpi_put_att_text(file, NC_GLOBAL, "history", 40,
                               "a long attribute that moves the data    "));
        TRY(ncmpi_enddef(file));
        TRY(ncmpi_get_att_text(file, NC_GLOBAL, "title", title));
        if (strcmp(title, "testing"))
            DIE("the title is %s", title);
        for (int i = 0; i < 5; i++)
            TRY(ncmpi_inq_varid(file, NAMES[i], &variables[i]));
        read_all(file, variables);
        TRY(ncmpi_close(file));
    }
    long long total;
    MPI_Reduce(&verified, &total, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me == 0)
        printf("pnetcdf: %lld elements verified\n", total);
    MPI_Finalize();
    return 0;
}
