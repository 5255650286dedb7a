/* Files: opening, closing, the three kinds of file pointer, and file views. Every rank checks the
 * data of others. */
#include "file.h"

static void fill(int *data, int n, int seed)
{
    for (int i = 0; i < n; i++)
        data[i] = seed * 1000 + i;
}

static int is_filled(const int *data, int n, int seed)
{
    for (int i = 0; i < n; i++)
        if (data[i] != seed * 1000 + i)
            return 0;
    return 1;
}

static int count_of(MPI_Status *status, MPI_Datatype type)
{
    int n;
    MPI_Get_count(status, type, &n);
    return n;
}

static MPI_File opened(int mode)
{
    MPI_File file;
    CHECK(MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file) == 0);
    return file;
}

static const int NEW = MPI_MODE_CREATE | MPI_MODE_RDWR;
enum { N = 100 };

static void explicit_offsets(void)
{
    MPI_File file = opened(NEW | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Status status;
    int data[N], back[N + 10];
    MPI_Offset size;
    fill(data, N, me);
    CHECK(MPI_File_write_at(file, me * sizeof data, data, N, MPI_INT, &status) == 0);
    CHECK(count_of(&status, MPI_INT) == N);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    int next = (me + 1) % np;
    CHECK(MPI_File_read_at(file, next * sizeof data, back, N, MPI_INT, &status) == 0);
    CHECK(count_of(&status, MPI_INT) == N && is_filled(back, N, next));
    CHECK(MPI_File_get_size(file, &size) == 0 && size == (MPI_Offset)(np * sizeof data));
    /* A read that reaches the end of the file is short; beyond the end there is no data. */
    MPI_Offset last = (np - 1) * sizeof data;
    CHECK(MPI_File_read_at_all(file, last, back, N + 10, MPI_INT, &status) == 0);
    CHECK(count_of(&status, MPI_INT) == N && is_filled(back, N, np - 1));
    CHECK(MPI_File_read_at(file, size + 5, back, N, MPI_INT, &status) == 0);
    CHECK(count_of(&status, MPI_INT) == 0);
    CHECK(MPI_File_read_at(file, 0, back, 0, MPI_INT, &status) == 0);
    CHECK(count_of(&status, MPI_INT) == 0);

    /* All ranks have read the data of the last one. */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request requests[2];
    fill(data, N, me + 50);
    CHECK(MPI_File_iwrite_at(file, me * sizeof data, data, N, MPI_INT, &requests[0]) == 0);
    CHECK(MPI_File_iread_at(file, size, back, N, MPI_INT, &requests[1]) == 0);
    MPI_Status both[2];
    CHECK(MPI_Waitall(2, requests, both) == 0);
    CHECK(count_of(&both[0], MPI_INT) == N && count_of(&both[1], MPI_INT) == 0);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_File_iread_at_all(file, next * sizeof data, back, N, MPI_INT, requests) == 0);
    MPI_Wait(requests, &status);
    CHECK(count_of(&status, MPI_INT) == N && is_filled(back, N, next + 50));
    CHECK(MPI_File_close(&file) == 0 && file == MPI_FILE_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(access(name, F_OK) != 0);
}

static void own_pointers(void)
{
    MPI_File file = opened(NEW);
    MPI_Status status;
    MPI_Offset at;
    int data[N], back[N];
    fill(data, N, me);
    MPI_File_set_view(file, me * sizeof data, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    CHECK(MPI_File_write(file, data, N / 2, MPI_INT, &status) == 0);
    CHECK(MPI_File_get_position(file, &at) == 0 && at == N / 2);
    CHECK(MPI_File_write_all(file, data + N / 2, N - N / 2, MPI_INT, &status) == 0);
    CHECK(MPI_File_get_position(file, &at) == 0 && at == N);
    CHECK(MPI_File_seek(file, -10, MPI_SEEK_CUR) == 0);
    CHECK(MPI_File_read(file, back, 10, MPI_INT, &status) == 0);
    CHECK(memcmp(back, data + N - 10, 10 * sizeof(int)) == 0);
    CHECK(MPI_File_seek(file, 0, MPI_SEEK_SET) == 0);
    MPI_Request request;
    CHECK(MPI_File_iread(file, back, N, MPI_INT, &request) == 0);
    CHECK(MPI_File_get_position(file, &at) == 0 && at == N);
    MPI_Wait(&request, &status);
    CHECK(is_filled(back, N, me) && count_of(&status, MPI_INT) == N);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    /* The end is that of the file, even if the view begins later. */
    CHECK(MPI_File_seek(file, 0, MPI_SEEK_END) == 0);
    CHECK(MPI_File_get_position(file, &at) == 0 && at == (np - me) * N);
    CHECK(MPI_File_seek(file, -3, MPI_SEEK_END) == 0);
    CHECK(MPI_File_read(file, back, N, MPI_INT, &status) == 0);
    CHECK(count_of(&status, MPI_INT) == 3 && back[2] == (np - 1) * 1000 + N - 1);
    CHECK(MPI_File_get_position(file, &at) == 0 && at == (np - me) * N);
    CHECK(MPI_File_close(&file) == 0);

    /* Appending begins at the end, for both kinds of pointer. */
    file = opened(MPI_MODE_WRONLY | MPI_MODE_APPEND);
    CHECK(MPI_File_get_position(file, &at) == 0 && at == (MPI_Offset)(np * sizeof data));
    CHECK(MPI_File_get_position_shared(file, &at) == 0 && at == (MPI_Offset)(np * sizeof data));
    MPI_File_close(&file);
    if (me == 0)
        CHECK(MPI_File_delete(name, MPI_INFO_NULL) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void shared_pointers(void)
{
    MPI_File file = opened(NEW | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Status status;
    MPI_Offset at;
    int mine[2] = {me, me + 1000}, *all = malloc(np * sizeof mine);
    int *seen = calloc(np, sizeof *seen);
    MPI_File_set_view(file, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    CHECK(MPI_File_write_shared(file, mine, 2, MPI_INT, &status) == 0);
    CHECK(count_of(&status, MPI_INT) == 2);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_File_get_position_shared(file, &at) == 0 && at == 2 * np);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_File_read_at(file, 0, all, 2 * np, MPI_INT, &status) == 0);
    for (int i = 0; i < np; i++) {
        CHECK(all[2 * i] >= 0 && all[2 * i] < np && !seen[all[2 * i]]);
        CHECK(all[2 * i + 1] == all[2 * i] + 1000);
        seen[all[2 * i]] = 1;
    }
    /* Ordered accesses follow the ranks, whatever their lengths. */
    CHECK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET) == 0);
    int *many = malloc((me + 1) * sizeof(int));
    fill(many, me + 1, me);
    CHECK(MPI_File_write_ordered(file, many, me + 1, MPI_INT, &status) == 0);
    CHECK(count_of(&status, MPI_INT) == me + 1);
    CHECK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET) == 0);
    memset(many, 0, (me + 1) * sizeof(int));
    CHECK(MPI_File_read_ordered_begin(file, many, me + 1, MPI_INT) == 0);
    CHECK(MPI_File_read_ordered_end(file, many, &status) == 0);
    CHECK(is_filled(many, me + 1, me) && count_of(&status, MPI_INT) == me + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_File_get_position_shared(file, &at) == 0 && at == np * (np + 1) / 2);
    int first = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(file, -1, MPI_SEEK_END);
    MPI_Request request;
    CHECK(MPI_File_iread_shared(file, &first, 1, MPI_INT, &request) == 0);
    MPI_Wait(&request, &status);
    int found = count_of(&status, MPI_INT), total;
    MPI_Allreduce(&found, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(total == 1 && found <= 1);
    MPI_File_close(&file);
    free(all);
    free(seen);
    free(many);
}

/* Every rank has one column of a matrix. */
static void columns(void)
{
    enum { ROWS = 7 };
    MPI_File file = opened(NEW | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Datatype column, etype, filetype;
    MPI_Status status;
    int sizes[2] = {ROWS, np}, parts[2] = {ROWS, 1}, starts[2] = {0, me};
    int data[2 * ROWS], back[ROWS];
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &column);
    MPI_Type_commit(&column);
    fill(data, ROWS, me);
    CHECK(MPI_File_set_view(file, 16, MPI_INT, column, "native", MPI_INFO_NULL) == 0);
    MPI_Offset at;
    MPI_Aint extent;
    char rep[MPI_MAX_DATAREP_STRING];
    CHECK(MPI_File_get_view(file, &at, &etype, &filetype, rep) == 0);
    CHECK(at == 16 && etype == MPI_INT && strcmp(rep, "native") == 0);
    int sizeof_filetype;
    MPI_Type_size(filetype, &sizeof_filetype);
    CHECK(sizeof_filetype == ROWS * (int)sizeof(int));
    MPI_Type_free(&filetype);
    CHECK(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent) == 0 && extent == 8);
    CHECK(MPI_File_get_byte_offset(file, 2, &at) == 0);
    CHECK(at == 16 + (2 * np + me) * (MPI_Offset)sizeof(int));
    CHECK(MPI_File_get_byte_offset(file, ROWS + 1, &at) == 0);
    CHECK(at == 16 + ((ROWS + 1) * np + me) * (MPI_Offset)sizeof(int));
    /* Non-contiguous in memory and in the file. */
    MPI_Datatype every_second;
    MPI_Type_vector(ROWS, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    int spread[2 * ROWS];
    for (int i = 0; i < ROWS; i++)
        spread[2 * i] = data[i];
    CHECK(MPI_File_write_all(file, spread, 1, every_second, &status) == 0);
    CHECK(count_of(&status, every_second) == 1 && count_of(&status, MPI_INT) == ROWS);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_File_read_at_all(file, 0, back, ROWS, MPI_INT, &status) == 0);
    CHECK(is_filled(back, ROWS, me) && count_of(&status, MPI_INT) == ROWS);
    CHECK(MPI_File_seek(file, 0, MPI_SEEK_END) == 0);
    CHECK(MPI_File_get_position(file, &at) == 0 && at == ROWS);
    /* The whole matrix, as it is in the file. */
    int *all = malloc(ROWS * np * sizeof(int));
    MPI_File_set_view(file, 16, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    CHECK(MPI_File_read_all_begin(file, all, ROWS * np, MPI_INT) == 0);
    CHECK(MPI_File_read_all_begin(file, all, ROWS * np, MPI_INT) != 0);
    CHECK(MPI_File_read_all_end(file, all, &status) == 0);
    CHECK(count_of(&status, MPI_INT) == ROWS * np);
    for (int i = 0; i < ROWS * np; i++)
        CHECK(all[i] == i % np * 1000 + i / np);
    free(all);
    MPI_Type_free(&every_second);
    MPI_Type_free(&column);
    MPI_File_close(&file);
}

static void settings(void)
{
    MPI_File file = opened(NEW | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Group of_file, of_world;
    MPI_Info info;
    MPI_Offset size;
    int result, flag, n;
    char value[20];
    MPI_File_get_group(file, &of_file);
    MPI_Comm_group(MPI_COMM_WORLD, &of_world);
    MPI_Group_compare(of_file, of_world, &result);
    CHECK(result == MPI_IDENT);
    MPI_Group_free(&of_file);
    MPI_Group_free(&of_world);
    CHECK(MPI_File_get_amode(file, &n) == 0 && n == (NEW | MPI_MODE_DELETE_ON_CLOSE));
    CHECK(MPI_File_set_size(file, 1000) == 0 && MPI_File_get_size(file, &size) == 0);
    CHECK(size == 1000);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_File_preallocate(file, 500) == 0 && MPI_File_get_size(file, &size) == 0);
    CHECK(size == 1000);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_File_preallocate(file, 5000) == 0 && MPI_File_get_size(file, &size) == 0);
    CHECK(size == 5000);
    CHECK(MPI_File_get_atomicity(file, &flag) == 0 && flag == 0);
    CHECK(MPI_File_set_atomicity(file, 1) == 0);
    CHECK(MPI_File_get_atomicity(file, &flag) == 0 && flag == 1);
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_buffer_size", "8388608");
    CHECK(MPI_File_set_info(file, info) == 0);
    MPI_Info_free(&info);
    CHECK(MPI_File_get_info(file, &info) == 0);
    MPI_Info_get(info, "cb_buffer_size", 19, value, &flag);
    CHECK(flag && strcmp(value, "8388608") == 0);
    MPI_Info_free(&info);
    /* Atomic mode: overlapping writes leave one rank's data, never a mixture. */
    int data[N], back[N];
    fill(data, N, me);
    CHECK(MPI_File_write_at(file, 0, data, N, MPI_INT, MPI_STATUS_IGNORE) == 0);
    CHECK(MPI_File_read_at(file, 0, back, N, MPI_INT, MPI_STATUS_IGNORE) == 0);
    CHECK(back[0] % 1000 == 0 && back[0] / 1000 < np && is_filled(back, N, back[0] / 1000));
    MPI_File_close(&file);
}

static int calls;
static void handler(MPI_File *file, int *code, ...)
{
    calls += *file == MPI_FILE_NULL && *code != 0;
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

static void errors(void)
{
    MPI_File file, other;
    MPI_Status status;
    MPI_Errhandler made, found;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Info none = MPI_INFO_NULL;
    int x = 0;
    MPI_File_get_errhandler(MPI_FILE_NULL, &found);
    CHECK(found == MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_File_open(world, name, MPI_MODE_RDONLY, none, &file))
          == MPI_ERR_NO_SUCH_FILE);
    CHECK(class_of(MPI_File_open(world, name, 0, none, &file)) == MPI_ERR_AMODE);
    CHECK(class_of(MPI_File_open(world, name, MPI_MODE_RDONLY | MPI_MODE_CREATE, none, &file))
          == MPI_ERR_AMODE);
    CHECK(class_of(MPI_File_delete(name, none)) == MPI_ERR_NO_SUCH_FILE);
    MPI_File_create_errhandler(handler, &made);
    MPI_File_set_errhandler(MPI_FILE_NULL, made);
    MPI_File_delete(name, none);
    MPI_File_open(world, name, MPI_MODE_WRONLY, none, &file);
    CHECK(calls == 2);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&made);
    if (np > 1) {
        int mode = me == 1 ? NEW : MPI_MODE_CREATE | MPI_MODE_WRONLY;
        CHECK(class_of(MPI_File_open(world, name, mode, none, &file)) == MPI_ERR_NOT_SAME);
    }

    file = opened(NEW | MPI_MODE_DELETE_ON_CLOSE);
    CHECK(class_of(MPI_File_open(world, name, NEW | MPI_MODE_EXCL, none, &other))
          == MPI_ERR_FILE_EXISTS);
    CHECK(class_of(MPI_File_write_at(file, -1, &x, 1, MPI_INT, &status)) == MPI_ERR_ARG);
    CHECK(class_of(MPI_File_write_at(file, 0, &x, -1, MPI_INT, &status)) == MPI_ERR_COUNT);
    CHECK(class_of(MPI_File_write_at(file, 0, &x, 1, MPI_DATATYPE_NULL, &status))
          == MPI_ERR_TYPE);
    CHECK(class_of(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "no such", none))
          == MPI_ERR_UNSUPPORTED_DATAREP);
    CHECK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", none) == 0);
    CHECK(class_of(MPI_File_write_at(file, 0, &x, 1, MPI_CHAR, &status)) == MPI_ERR_IO);
    CHECK(class_of(MPI_File_seek(file, -1, MPI_SEEK_SET)) == MPI_ERR_ARG);
    if (np > 1)
        CHECK(class_of(MPI_File_set_size(file, me)) == MPI_ERR_NOT_SAME);
    CHECK(class_of(MPI_File_write_all_end(file, &x, &status)) == MPI_ERR_IO);
    MPI_File_close(&file);
    CHECK(class_of(MPI_File_close(&file)) == MPI_ERR_FILE);

    file = opened(MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    CHECK(class_of(MPI_File_read_shared(file, &x, 1, MPI_INT, &status)) == MPI_ERR_ACCESS);
    CHECK(class_of(MPI_File_write(file, &x, 1, MPI_INT, &status)) == MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(MPI_File_write_ordered(file, &x, 1, MPI_INT, &status) == 0);
    CHECK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", none) == 0);
    CHECK(MPI_File_write_ordered(file, &x, 1, MPI_INT, &status) == 0);
    MPI_Offset size;
    MPI_Barrier(world);
    CHECK(MPI_File_get_size(file, &size) == 0 && size == 8 * np);
    MPI_File_close(&file);
    file = opened(MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
    CHECK(class_of(MPI_File_write(file, &x, 1, MPI_INT, &status)) == MPI_ERR_READ_ONLY);
    CHECK(class_of(MPI_File_set_size(file, 0)) == MPI_ERR_READ_ONLY);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    choose_name();
    explicit_offsets();
    own_pointers();
    shared_pointers();
    columns();
    settings();
    errors();
    return end("io_files");
}
