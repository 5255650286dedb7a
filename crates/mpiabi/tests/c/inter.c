/* Intercommunicators: creation, ranks and messages; sessions that create some; persistent
 * collectives started in different orders; hundreds of communicators. */
#include "check.h"

#include <stdlib.h>

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

/* Even ranks and odd ranks; the order of the odd ones is reversed. */
static MPI_Comm halves(MPI_Comm *half)
{
    MPI_Comm inter;
    int odd = me % 2, last_odd = np % 2 ? np - 2 : np - 1;
    MPI_Comm_split(MPI_COMM_WORLD, odd, odd ? -me : me, half);
    MPI_Intercomm_create(*half, 0, MPI_COMM_WORLD, odd ? 0 : last_odd, 3, &inter);
    return inter;
}

static void membership(MPI_Comm inter, MPI_Comm half)
{
    int is_inter, size, remote, result, rank, world_rank, zero = 0;
    MPI_Group all, others;
    MPI_Comm copy, merged, part;
    MPI_Request request;
    MPI_Comm_test_inter(inter, &is_inter);
    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &remote);
    MPI_Comm_rank(inter, &rank);
    CHECK(is_inter && size + remote == np && size == (np + !(me % 2)) / 2);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_remote_group(inter, &others);
    MPI_Group_translate_ranks(others, 1, &zero, all, &world_rank);
    CHECK(world_rank == (me % 2 ? 0 : np % 2 ? np - 2 : np - 1));
    MPI_Group_free(&all);
    MPI_Group_free(&others);

    MPI_Comm_idup(inter, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_compare(inter, copy, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_compare(inter, half, &result);
    CHECK(result == MPI_UNEQUAL);
    MPI_Comm_free(&copy);

    /* The low group comes first, each in its own order. */
    MPI_Intercomm_merge(inter, !(me % 2), &merged);
    MPI_Comm_rank(merged, &world_rank);
    CHECK(world_rank == (me % 2 ? rank : remote + rank));
    MPI_Comm_free(&merged);

    /* The first of each side, separated from the rest; a color on one side only yields no
     * communicator. */
    MPI_Comm_split(inter, rank == 0 ? 7 : me % 2, 0, &part);
    CHECK((part != MPI_COMM_NULL) == (rank == 0));
    if (part != MPI_COMM_NULL) {
        MPI_Comm_remote_size(part, &remote);
        CHECK(remote == 1);
        MPI_Comm_free(&part);
    }
}

static void messages(MPI_Comm inter)
{
    int rank, remote, got = -1, found;
    MPI_Status status;
    MPI_Message message;
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_remote_size(inter, &remote);
    if (rank >= remote)
        return;
    /* To the same rank of the other side, and back: a source is a rank of that side. */
    MPI_Sendrecv(&me, 1, MPI_INT, rank, 5, &got, 1, MPI_INT, MPI_ANY_SOURCE, 5, inter, &status);
    CHECK(status.MPI_SOURCE == rank && got % 2 != me % 2);
    MPI_Send(&me, 1, MPI_INT, rank, 6, inter);
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &message, &status);
    CHECK(status.MPI_SOURCE == rank && status.MPI_TAG == 6);
    MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &found, &status);
    CHECK(!found && status.MPI_SOURCE == rank);
}

static void collectives(MPI_Comm inter)
{
    int rank, size, remote, sum = -1, want = 0, data[2] = {me, -me};
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &remote);
    int *all = malloc(sizeof(int) * 2 * (size_t)remote);
    MPI_Request requests[3];
    for (int i = !(me % 2); i < np; i += 2)
        want += i;
    MPI_Iallreduce(data, &sum, 1, MPI_INT, MPI_SUM, inter, &requests[0]);
    MPI_Iallgather(data, 2, MPI_INT, all, 2, MPI_INT, inter, &requests[1]);
    MPI_Ibarrier(inter, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    CHECK(sum == want);
    for (int i = 0; i < remote; i++)
        CHECK(all[2 * i] % 2 != me % 2 && all[2 * i + 1] == -all[2 * i]);

    /* From the last even rank to all odd ones, and their sum back. */
    int is_root = me % 2 == 0 && rank == size - 1, last = (np - 1) / 2 * 2, value = me;
    int root = me % 2 ? remote - 1 : is_root ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(&value, 1, MPI_INT, root, inter);
    CHECK(value == (me % 2 ? last : me));
    sum = -1;
    MPI_Reduce(&me, &sum, 1, MPI_INT, MPI_SUM, root, inter);
    CHECK(sum == (is_root ? np / 2 * (np / 2) : -1));
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Scan(&me, &sum, 1, MPI_INT, MPI_SUM, inter)) == MPI_ERR_COMM);
    CHECK(class_of(MPI_Bcast(&value, 1, MPI_INT, remote, inter)) == MPI_ERR_ROOT);
    free(all);
}

/* From two groups, without a communicator of both. */
static void from_groups(void)
{
    MPI_Session session;
    MPI_Group world, own, others;
    MPI_Comm inter;
    int half = np / 2, low[1][3] = {{0, half - 1, 1}}, high[1][3] = {{half, np - 1, 1}}, remote;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Group_range_incl(world, 1, me < half ? low : high, &own);
    MPI_Group_range_incl(world, 1, me < half ? high : low, &others);
    MPI_Intercomm_create_from_groups(own, 0, others, 0, "halves", MPI_INFO_NULL,
                                     MPI_ERRORS_ARE_FATAL, &inter);
    MPI_Comm_remote_size(inter, &remote);
    CHECK(remote == (me < half ? np - half : half));
    MPI_Barrier(inter);
    MPI_Comm_disconnect(&inter);
    MPI_Group_free(&world);
    MPI_Group_free(&own);
    MPI_Group_free(&others);
    MPI_Session_finalize(&session);
}

/* Ranks may start prepared operations in any order (MPI 5.0, 6.13). */
static void any_order(void)
{
    int first = me, second = me, sum = -1;
    MPI_Request requests[3];
    MPI_Bcast_init(&first, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Bcast_init(&second, 1, MPI_INT, np - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Allreduce_init(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++)
            MPI_Start(&requests[(i + me + round) % 3]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        CHECK(first == 0 && second == np - 1 && sum == np * (np - 1) / 2);
        first = second = me, sum = -1;
    }
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&requests[i]);
}

/* Down the hardware levels, until there is no smaller one. */
static void levels(void)
{
    MPI_Comm at = MPI_COMM_WORLD, next;
    MPI_Info told;
    for (int size = np, smaller = 0; at != MPI_COMM_NULL; at = next, size = smaller) {
        char level[32] = "";
        int is_told, room = sizeof level;
        MPI_Info_create(&told);
        MPI_Comm_split_type(at, MPI_COMM_TYPE_HW_UNGUIDED, 0, told, &next);
        if (next != MPI_COMM_NULL)
            MPI_Comm_size(next, &smaller);
        CHECK(next == MPI_COMM_NULL || smaller < size);
        /* A rank that gets a level also gets its name. */
        MPI_Info_get_string(told, "mpi_hw_resource_type", &room, level, &is_told);
        CHECK(is_told == (next != MPI_COMM_NULL) && (!is_told || level[0]));
        MPI_Info_free(&told);
        if (at != MPI_COMM_WORLD)
            MPI_Comm_free(&at);
    }
}

/* Operations in flight continue after their objects are freed; freed objects leave no trace. */
static void many(void)
{
    MPI_Comm comm;
    MPI_Request request;
    for (int i = 0; i < 300; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, me % 3, -me, &comm);
        MPI_Ibarrier(comm, &request);
        MPI_Comm_free(&comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    any_order();
    levels();
    many();
    if (np > 1) {
        MPI_Comm half, inter = halves(&half);
        membership(inter, half);
        messages(inter);
        collectives(inter);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&half);
        from_groups();
    } else {
        int size;
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        CHECK(class_of(MPI_Comm_remote_size(MPI_COMM_SELF, &size)) == MPI_ERR_COMM);
    }
    return end("inter");
}
