/* Access patterns of scientific data libraries: hyperslabs of a data set as file views of bytes,
 * ranks without data, hints, metadata by one rank, file sizes, offsets beyond 4 GiB. */
#include "file.h"

enum { ROWS = 12, COLUMNS = 10, HEADER = 96 };

static MPI_File opened(int mode)
{
    MPI_File file;
    MPI_Info hints;
    char value[20];
    int flag;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "cb_buffer_size", "4194304");
    MPI_Info_set(hints, "romio_cb_write", "enable");
    /* By the hint only the writing ranks open the file; all may use it nevertheless. */
    MPI_Info_set(hints, "romio_no_indep_rw", "false");
    CHECK(MPI_File_open(MPI_COMM_WORLD, name, mode, hints, &file) == 0);
    MPI_Info_free(&hints);
    CHECK(MPI_File_get_info(file, &hints) == 0);
    MPI_Info_get(hints, "romio_cb_write", 19, value, &flag);
    CHECK(flag && strcmp(value, "enable") == 0);
    MPI_Info_free(&hints);
    return file;
}

/* The part of a rank: some of the rows, with a stride; the last rank has none. */
static int share(int rank, int *first, int *step)
{
    int sharers = np > 1 ? np - 1 : 1;
    *first = rank, *step = sharers;
    return rank < sharers ? (ROWS - rank + sharers - 1) / sharers : 0;
}

/* Blocks of bytes at byte offsets, with the extent of the whole data set. */
static MPI_Datatype hyperslab(int rank)
{
    MPI_Datatype type, whole;
    int lengths[ROWS], first, step, n = share(rank, &first, &step);
    MPI_Aint at[ROWS];
    for (int i = 0; i < n; i++) {
        lengths[i] = COLUMNS * sizeof(double);
        at[i] = (first + i * step) * COLUMNS * (MPI_Aint)sizeof(double);
    }
    if (n > 0)
        MPI_Type_create_hindexed(n, lengths, at, MPI_BYTE, &type);
    else
        MPI_Type_contiguous(0, MPI_BYTE, &type);
    MPI_Type_create_resized(type, 0, ROWS * COLUMNS * sizeof(double), &whole);
    MPI_Type_free(&type);
    MPI_Type_commit(&whole);
    return whole;
}

static double value_of(int row, int column)
{
    return row * 100 + column;
}

static void data_set(void)
{
    MPI_File file = opened(MPI_MODE_CREATE | MPI_MODE_RDWR);
    MPI_Status status;
    int first, step, n = share(me, &first, &step), count;
    MPI_Offset size, end = HEADER + ROWS * COLUMNS * sizeof(double);
    CHECK(MPI_File_set_size(file, end) == 0);
    /* The first rank writes the metadata; the others take part without data. */
    char header[HEADER] = "a header", seen[HEADER];
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    int part = me == 0 ? HEADER : 0;
    CHECK(MPI_File_write_at_all(file, 0, header, part, MPI_BYTE, &status) == 0);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == part);
    /* The data are in two pieces of memory, given by their addresses. */
    double *even = malloc(COLUMNS * sizeof *even * (n / 2 + 1));
    double *odd = malloc(COLUMNS * sizeof *odd * (n / 2 + 1));
    MPI_Datatype memory, slab = hyperslab(me);
    int lengths[ROWS];
    MPI_Aint at[ROWS];
    for (int i = 0; i < n; i++) {
        double *row = (i % 2 ? odd : even) + i / 2 * COLUMNS;
        lengths[i] = COLUMNS;
        MPI_Get_address(row, &at[i]);
        for (int k = 0; k < COLUMNS; k++)
            row[k] = value_of(first + i * step, k);
    }
    MPI_Type_create_hindexed(n, lengths, at, MPI_DOUBLE, &memory);
    MPI_Type_commit(&memory);
    CHECK(MPI_File_set_view(file, HEADER, MPI_BYTE, slab, "native", MPI_INFO_NULL) == 0);
    CHECK(MPI_File_write_at_all(file, 0, MPI_BOTTOM, n > 0, memory, &status) == 0);
    MPI_Get_elements(&status, memory, &count);
    CHECK(count == n * COLUMNS);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    CHECK(MPI_File_get_size(file, &size) == 0 && size == end);
    CHECK(MPI_File_close(&file) == 0);
    MPI_Type_free(&memory);
    MPI_Type_free(&slab);
    free(even);
    free(odd);

    /* Read by columns: every rank reads a band of them. */
    file = opened(MPI_MODE_RDONLY);
    CHECK(MPI_File_read_at_all(file, 0, seen, HEADER, MPI_BYTE, &status) == 0);
    CHECK(memcmp(seen, header, HEADER) == 0);
    int wide = me < COLUMNS ? (COLUMNS - me + np - 1) / np : 0, *columns = malloc(4 * COLUMNS);
    for (int i = 0; i < wide; i++)
        columns[i] = me + i * np;
    MPI_Datatype in_row, in_file;
    MPI_Type_create_indexed_block(wide, 1, columns, MPI_DOUBLE, &in_row);
    MPI_Type_create_resized(in_row, 0, COLUMNS * sizeof(double), &in_file);
    MPI_Type_commit(&in_file);
    CHECK(MPI_File_set_view(file, HEADER, MPI_DOUBLE, in_file, "native", MPI_INFO_NULL) == 0);
    double *band = malloc((wide * ROWS + 1) * sizeof *band);
    CHECK(MPI_File_read_all(file, band, wide * ROWS, MPI_DOUBLE, &status) == 0);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK(count == wide * ROWS);
    for (int i = 0; i < wide * ROWS; i++)
        CHECK(band[i] == value_of(i / wide, columns[i % wide]));
    MPI_Type_free(&in_row);
    MPI_Type_free(&in_file);
    free(band);
    free(columns);
    CHECK(MPI_File_close(&file) == 0);
    if (me == 0)
        CHECK(MPI_File_delete(name, MPI_INFO_NULL) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Beyond 32-bit offsets, in a file that is mostly a hole. */
static void far_out(void)
{
    MPI_File file = opened(MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Offset far = (MPI_Offset)5 << 30, size, at;
    MPI_Datatype sparse, wide;
    MPI_Status status;
    MPI_Count count;
    int data[2] = {me, -me}, back[2] = {-1, -1};
    /* One int in every 6 GiB. */
    MPI_Type_contiguous(1, MPI_INT, &sparse);
    MPI_Type_create_resized(sparse, 0, (MPI_Aint)6 << 30, &wide);
    MPI_Type_commit(&wide);
    CHECK(MPI_File_set_view(file, far + 4 * me, MPI_INT, wide, "native", MPI_INFO_NULL) == 0);
    CHECK(MPI_File_write_at_all_c(file, 0, data, 2, MPI_INT, &status) == 0);
    MPI_Get_count_c(&status, MPI_INT, &count);
    CHECK(count == 2);
    CHECK(MPI_File_get_byte_offset(file, 1, &at) == 0);
    CHECK(at == far + 4 * me + ((MPI_Offset)6 << 30));
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_File_get_size(file, &size) == 0 && size == far + ((MPI_Offset)6 << 30) + 4 * np);
    int next = (me + 1) % np;
    CHECK(MPI_File_set_view(file, far + 4 * next, MPI_INT, wide, "native", MPI_INFO_NULL) == 0);
    CHECK(MPI_File_read_all_c(file, back, 2, MPI_INT, &status) == 0);
    CHECK(back[0] == next && back[1] == -next);
    MPI_Type_free(&sparse);
    MPI_Type_free(&wide);
    MPI_File_close(&file);
}

/* A file of some ranks, and one of each rank. */
static void parts(void)
{
    MPI_Comm half;
    MPI_File file;
    MPI_Offset at;
    MPI_Status status;
    int n, x = me;
    char own[220];
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
    snprintf(own, sizeof own, "ufs:%s.%d", name, me % 2);
    int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE;
    CHECK(MPI_File_open(half, own, mode, MPI_INFO_NULL, &file) == 0);
    MPI_Comm_size(half, &n);
    MPI_Comm_free(&half);
    CHECK(MPI_File_write_ordered(file, &x, 1, MPI_INT, &status) == 0);
    MPI_File_sync(file);
    CHECK(MPI_File_get_position_shared(file, &at) == 0 && at == 4 * n);
    MPI_File_close(&file);
    snprintf(own, sizeof own, "%s.own%d", name, me);
    CHECK(MPI_File_open(MPI_COMM_SELF, own, mode, MPI_INFO_NULL, &file) == 0);
    CHECK(MPI_File_write_shared(file, &x, 1, MPI_INT, &status) == 0);
    CHECK(MPI_File_get_position_shared(file, &at) == 0 && at == 4);
    MPI_File_close(&file);
    CHECK(access(own, F_OK) != 0);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    choose_name();
    data_set();
    far_out();
    parts();
    return end("io_patterns");
}
