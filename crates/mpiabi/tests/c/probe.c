/* Probes and matched probes; only the owner of a matched message can receive it. */
#include "check.h"

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int next = (me + 1) % np, before = (me + np - 1) % np, count, flag = 0;
    double out[50], in[60];
    for (int i = 0; i < 50; i++)
        out[i] = me + i / 64.0;
    MPI_Request sends[3];
    for (int i = 0; i < 3; i++)
        MPI_Isend(out, 10 * (i + 1), MPI_DOUBLE, next, i, MPI_COMM_WORLD, &sends[i]);

    MPI_Status status;
    MPI_Probe(before, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK(count == 20 && status.MPI_SOURCE == before && status.MPI_TAG == 1);
    /* Not removed by the probe. */
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &status);
    CHECK(flag);

    MPI_Message message, other;
    MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK(count == 20 && message != MPI_MESSAGE_NULL);
    /* Matched: no other probe finds it. */
    MPI_Iprobe(before, 1, MPI_COMM_WORLD, &flag, &status);
    CHECK(!flag);
    MPI_Mrecv(in, 60, MPI_DOUBLE, &message, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK(count == 20 && message == MPI_MESSAGE_NULL && in[19] == before + 19 / 64.0);

    do
        MPI_Improbe(before, 2, MPI_COMM_WORLD, &flag, &other, &status);
    while (!flag);
    MPI_Request r;
    MPI_Imrecv(in, 60, MPI_DOUBLE, &other, &r);
    MPI_Wait(&r, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK(count == 30 && in[29] == before + 29 / 64.0);

    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Mrecv(in, 1, MPI_DOUBLE, &message, &status);
    CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL);

    MPI_Recv(in, 60, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK(count == 10);
    MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
    CHECK(!flag);
    return end("probe");
}
