/* Messages with derived datatypes: gaps are skipped on either side, and only the data moves. */
#include "check.h"

struct mixed {
    char c;
    double d;
    int i[3];
};

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int next = (me + 1) % np, before = (me + np - 1) % np, count;
    MPI_Status status;

    /* A column of a matrix to a contiguous vector, and back to another column. */
    enum { N = 50 };
    static double m[N][N], v[N], w[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i][j] = me + i / 64.0 + j / 4096.0;
    MPI_Datatype column, resized;
    MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Sendrecv(&m[0][3], 1, column, next, 0, v, N, MPI_DOUBLE, before, 0, MPI_COMM_WORLD,
                 &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK(count == N);
    for (int i = 0; i < N; i++)
        CHECK(v[i] == before + i / 64.0 + 3 / 4096.0);
    MPI_Sendrecv(v, N, MPI_DOUBLE, next, 0, &w[0][7], 1, column, before, 0, MPI_COMM_WORLD,
                 &status);
    for (int i = 0; i < N; i++) {
        CHECK(w[i][6] == 0 && w[i][8] == 0);
        CHECK(w[i][7] == (before + np - 1) % np + i / 64.0 + 3 / 4096.0);
    }

    /* Two columns by their resized type: the message transposes them. */
    MPI_Type_create_resized(column, 0, sizeof(double), &resized);
    MPI_Type_commit(&resized);
    static double t[N][N];
    MPI_Sendrecv(m, N, resized, next, 1, t, N * N, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &status);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            CHECK(t[j][i] == before + i / 64.0 + j / 4096.0);

    /* A struct with gaps. */
    struct mixed a[5], b[5];
    memset(a, 0x11, sizeof a);
    memset(b, 0x22, sizeof b);
    for (int i = 0; i < 5; i++) {
        a[i].c = (char)i;
        a[i].d = me + i;
        a[i].i[0] = a[i].i[1] = a[i].i[2] = 100 * me + i;
    }
    int lengths[3] = {1, 1, 3};
    MPI_Aint places[3], start;
    MPI_Get_address(&a[0], &start);
    MPI_Get_address(&a[0].c, &places[0]);
    MPI_Get_address(&a[0].d, &places[1]);
    MPI_Get_address(&a[0].i, &places[2]);
    for (int k = 0; k < 3; k++)
        places[k] -= start;
    MPI_Datatype kinds[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT}, packed, mixed;
    MPI_Type_create_struct(3, lengths, places, kinds, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(struct mixed), &mixed);
    MPI_Type_commit(&mixed);
    MPI_Request r;
    MPI_Isend(a, 5, mixed, next, 2, MPI_COMM_WORLD, &r);
    MPI_Type_free(&packed);
    MPI_Recv(b, 5, mixed, before, 2, MPI_COMM_WORLD, &status);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < 5; i++) {
        CHECK(b[i].c == i && b[i].d == before + i && b[i].i[2] == 100 * before + i);
        CHECK(((unsigned char *)&b[i])[1] == 0x22); /* the gap after `c` */
    }
    MPI_Get_count(&status, mixed, &count);
    CHECK(count == 5);

    /* A partial item: elements are counted, items are not. */
    MPI_Datatype triple;
    MPI_Type_contiguous(3, MPI_INT, &triple);
    MPI_Type_commit(&triple);
    int five[6] = {1, 2, 3, 4, 5, 6}, into[6] = {0};
    MPI_Sendrecv(five, 5, MPI_INT, next, 3, into, 2, triple, before, 3, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, triple, &count);
    CHECK(count == MPI_UNDEFINED);
    MPI_Get_elements(&status, triple, &count);
    CHECK(count == 5 && into[4] == 5 && into[5] == 0);

    /* Collectives with types that differ on the two sides. */
    double *all = malloc(sizeof(double) * N * np);
    MPI_Allgather(&m[0][3], 1, column, all, N, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int rank = 0; rank < np; rank++)
        for (int i = 0; i < N; i++)
            CHECK(all[rank * N + i] == rank + i / 64.0 + 3 / 4096.0);
    free(all);

    /* The large-count variants. */
    MPI_Count big;
    MPI_Sendrecv_c(five, 6, MPI_INT, next, 4, into, 6, MPI_INT, before, 4, MPI_COMM_WORLD, &status);
    MPI_Get_count_c(&status, MPI_INT, &big);
    CHECK(big == 6 && into[5] == 6);

    MPI_Type_free(&triple);
    MPI_Type_free(&mixed);
    MPI_Type_free(&resized);
    MPI_Type_free(&column);
    return end("types");
}
