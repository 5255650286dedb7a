/* Data representations in a file: those of the standard, and one registered by the program. */
#include "file.h"

#include <stdint.h>

static MPI_File opened(void)
{
    MPI_File file;
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    CHECK(MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file) == 0);
    return file;
}

static void all_written(MPI_File file)
{
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Every rank has two consecutive structs, which are big-endian in the file. */
static void external32(void)
{
    struct pair {
        int32_t i;
        double d;
    } mine[2] = {{me + 1, 0.5}, {-2, me}}, back[2] = {{0}};
    MPI_Datatype type, resized;
    MPI_Status status;
    int lengths[2] = {1, 1}, n;
    MPI_Aint at[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_INT32_T, MPI_DOUBLE};
    MPI_Type_create_struct(2, lengths, at, types, &type);
    MPI_Type_create_resized(type, 0, sizeof(struct pair), &resized);
    MPI_Type_commit(&resized);
    MPI_File file = opened();
    MPI_Offset disp = 24 * me;
    CHECK(MPI_File_set_view(file, disp, MPI_BYTE, MPI_BYTE, "external32", MPI_INFO_NULL) == 0);
    CHECK(MPI_File_write_all(file, mine, 2, resized, &status) == 0);
    MPI_Get_count(&status, resized, &n);
    CHECK(n == 2);
    all_written(file);
    CHECK(MPI_File_read_at(file, 0, back, 2, resized, &status) == 0);
    CHECK(back[0].i == me + 1 && back[0].d == 0.5 && back[1].i == -2 && back[1].d == me);
    char rep[MPI_MAX_DATAREP_STRING];
    MPI_Datatype e, f;
    MPI_File_get_view(file, &disp, &e, &f, rep);
    CHECK(strcmp(rep, "external32") == 0);
    unsigned char raw[24], first[12] = {0, 0, 0, me + 1, 0x3f, 0xe0};
    MPI_Type_free(&type);
    MPI_File_set_view(file, 24 * me, MPI_BYTE, MPI_BYTE, "internal", MPI_INFO_NULL);
    CHECK(MPI_File_read(file, raw, 24, MPI_BYTE, &status) == 0);
    CHECK(memcmp(raw, first, 12) == 0 && raw[12] == 0xff && raw[15] == 0xfe);

    /* A long has four bytes in the file (MPI 5.0, table 14.2), and so has its place in a view. */
    long numbers[3] = {-5 - me, 70000, me}, again[4] = {0};
    MPI_Aint extent;
    MPI_Datatype column;
    MPI_Type_vector(1, 1, 1, MPI_LONG, &type);
    int sizes[1] = {np}, parts[1] = {1}, starts[1] = {me};
    MPI_Type_create_subarray(1, sizes, parts, starts, MPI_ORDER_C, type, &column);
    MPI_Type_commit(&column);
    all_written(file);
    MPI_File_set_size(file, 0);
    MPI_File_set_view(file, 0, MPI_LONG, column, "external32", MPI_INFO_NULL);
    CHECK(MPI_File_get_type_extent(file, MPI_LONG, &extent) == 0 && extent == 4);
    CHECK(MPI_File_write_all(file, numbers, 3, MPI_LONG, &status) == 0);
    MPI_Get_count(&status, MPI_LONG, &n);
    CHECK(n == 3);
    all_written(file);
    MPI_Offset size;
    CHECK(MPI_File_get_size(file, &size) == 0 && size == 12 * np);
    CHECK(MPI_File_read_at(file, 0, again, 4, MPI_LONG, &status) == 0);
    MPI_Get_count(&status, MPI_LONG, &n);
    CHECK(n == 3 && memcmp(numbers, again, sizeof numbers) == 0 && again[3] == 0);
    MPI_Type_free(&type);
    MPI_Type_free(&column);
    MPI_File_close(&file);
    MPI_Type_free(&resized);
}

/* The program's representation: every value is a byte with its length in memory, then the value
 * reversed, in a field of twice its length. */
static int extra, fails;

static int extent(MPI_Datatype type, MPI_Aint *out, void *state)
{
    int size;
    MPI_Type_size(type, &size);
    *out = 2 * size;
    return state == &extra ? 0 : MPI_ERR_OTHER;
}

static int convert(char *user, MPI_Datatype type, MPI_Count count, char *file, MPI_Offset position,
                   void *state, int out)
{
    MPI_Aint lb, width;
    int size;
    if (state != &extra || fails)
        return MPI_ERR_OTHER;
    /* The only types here are ints, chars and rows of ints. */
    MPI_Type_get_extent(type, &lb, &width);
    MPI_Type_size(type, &size);
    int unit = size < 4 ? 1 : 4;
    for (MPI_Count i = 0; i < count; i++)
        for (int k = 0; k < size / unit; k++) {
            /* A row has a gap after every int. */
            char *value = user + (position + i) * width + k * (size > 4 ? 8 : unit);
            char *field = file + (i * (size / unit) + k) * 2 * unit;
            if (out) {
                memset(field, 0, 2 * unit);
                field[0] = unit;
            } else if (field[0] != unit)
                return MPI_ERR_OTHER;
            for (int b = 0; b < unit; b++)
                if (out)
                    field[1 + b] = value[unit - 1 - b];
                else
                    value[unit - 1 - b] = field[1 + b];
        }
    return 0;
}

static int writes(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position,
                  void *state)
{
    return convert(user, type, count, file, position, state, 1);
}
static int reads(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position,
                 void *state)
{
    return convert(user, type, count, file, position, state, 0);
}
static int writes_many(void *user, MPI_Datatype type, MPI_Count count, void *file,
                       MPI_Offset position, void *state)
{
    return convert(user, type, count, file, position, state, 1);
}
static int reads_many(void *user, MPI_Datatype type, MPI_Count count, void *file,
                      MPI_Offset position, void *state)
{
    return convert(user, type, count, file, position, state, 0);
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

static void own(const char *rep)
{
    enum { N = 5 };
    MPI_File file = opened();
    MPI_Datatype row, column;
    MPI_Status status;
    MPI_Aint wide;
    MPI_Offset at;
    int data[2 * N], back[2 * N], n;
    MPI_Type_vector(N, 1, 2, MPI_INT, &row);
    MPI_Type_commit(&row);
    /* Column `me` of N rows, in items, so that it scales with the representation. */
    int sizes[2] = {N, np}, parts[2] = {N, 1}, starts[2] = {0, me};
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < 2 * N; i++)
        data[i] = me * 1000 + i;
    CHECK(MPI_File_set_view(file, 0, MPI_INT, column, rep, MPI_INFO_NULL) == 0);
    CHECK(MPI_File_get_type_extent(file, MPI_INT, &wide) == 0 && wide == 8);
    CHECK(MPI_File_get_byte_offset(file, 1, &at) == 0 && at == 8 * (np + me));
    MPI_Request request;
    MPI_Datatype row_again;
    MPI_Type_dup(row, &row_again);
    CHECK(MPI_File_iwrite(file, data, 1, row_again, &request) == 0);
    MPI_Type_free(&row_again);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &n);
    CHECK(n == N);
    all_written(file);
    memset(back, 0, sizeof back);
    MPI_Type_dup(row, &row_again);
    CHECK(MPI_File_iread_at(file, 0, back, 1, row_again, &request) == 0);
    MPI_Type_free(&row_again);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &n);
    CHECK(n == N);
    for (int i = 0; i < N; i++)
        CHECK(back[2 * i] == data[2 * i] && back[2 * i + 1] == 0);
    /* There is no data beyond the end of the file, and only whole values count. */
    CHECK(MPI_File_read_at(file, N - 2, back, N, MPI_INT, &status) == 0);
    MPI_Get_count(&status, MPI_INT, &n);
    CHECK(n == 2 && back[1] == data[2 * N - 2]);
    all_written(file);
    fails = 1;
    CHECK(class_of(MPI_File_read_at(file, 0, back, 1, MPI_INT, &status)) == MPI_ERR_CONVERSION);
    CHECK(class_of(MPI_File_write_at(file, 0, back, 1, MPI_INT, &status)) == MPI_ERR_CONVERSION);
    fails = 0;
    unsigned char raw[8];
    CHECK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL) == 0);
    CHECK(MPI_File_read_at(file, 8 * (np + me), raw, 8, MPI_BYTE, &status) == 0);
    CHECK(raw[0] == 4 && raw[4] == (unsigned char)data[2] && raw[5] == 0 && raw[7] == 0);
    MPI_File_close(&file);
    MPI_Type_free(&row);
    MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    choose_name();
    external32();
    CHECK(MPI_Register_datarep("backwards", reads, writes, extent, &extra) == 0);
    CHECK(MPI_Register_datarep_c("backwards too", reads_many, writes_many, extent, &extra) == 0);
    CHECK(class_of(MPI_Register_datarep("backwards", reads, writes, extent, &extra))
          == MPI_ERR_DUP_DATAREP);
    CHECK(class_of(MPI_Register_datarep("native", reads, writes, extent, &extra))
          == MPI_ERR_DUP_DATAREP);
    own("backwards");
    own("backwards too");
    return end("io_datarep");
}
