/* The ten BLAS routines HPCC calls, so that the validation fetches no BLAS.

   Plain loops in a fixed order, column-major only. They are meant to be right and the same
   everywhere, not fast: what is compared is what the program computes, not how fast it does. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMN_MAJOR = 102, NO_TRANS = 111, UPPER = 121, UNIT = 132, LEFT = 141 };

static void column_major(int order)
{
    if (order == COLUMN_MAJOR)
        return;
    fputs("cblas.c: only column-major matrices\n", stderr);
    abort();
}

/* The first element of a vector, whose stride may be negative. */
static int start(int n, int step)
{
    return step < 0 ? (1 - n) * step : 0;
}

int cblas_idamax(int n, const double *x, int step)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (fabs(x[i * step]) > fabs(x[best * step]))
            best = i;
    return best;
}

void cblas_dswap(int n, double *x, int dx, double *y, int dy)
{
    for (int i = 0, a = start(n, dx), b = start(n, dy); i < n; i++, a += dx, b += dy) {
        double kept = x[a];
        x[a] = y[b];
        y[b] = kept;
    }
}

void cblas_dcopy(int n, const double *x, int dx, double *y, int dy)
{
    for (int i = 0, a = start(n, dx), b = start(n, dy); i < n; i++, a += dx, b += dy)
        y[b] = x[a];
}

void cblas_daxpy(int n, double alpha, const double *x, int dx, double *y, int dy)
{
    for (int i = 0, a = start(n, dx), b = start(n, dy); i < n; i++, a += dx, b += dy)
        y[b] += alpha * x[a];
}

void cblas_dscal(int n, double alpha, double *x, int dx)
{
    for (int i = 0; i < n; i++)
        x[i * dx] *= alpha;
}

void cblas_dgemv(int order, int trans, int m, int n, double alpha, const double *a, int lda,
                 const double *x, int dx, double beta, double *y, int dy)
{
    column_major(order);
    int rows = trans == NO_TRANS ? m : n, columns = trans == NO_TRANS ? n : m;
    int ys = start(rows, dy), xs = start(columns, dx);
    for (int i = 0; i < rows; i++)
        y[ys + i * dy] = beta == 0 ? 0 : beta * y[ys + i * dy];
    for (int j = 0; j < n; j++) {
        const double *column = a + (size_t)j * lda;
        if (trans == NO_TRANS) {
            double t = alpha * x[xs + j * dx];
            for (int i = 0; i < m; i++)
                y[ys + i * dy] += t * column[i];
        } else {
            double t = 0;
            for (int i = 0; i < m; i++)
                t += column[i] * x[xs + i * dx];
            y[ys + j * dy] += alpha * t;
        }
    }
}

void cblas_dger(int order, int m, int n, double alpha, const double *x, int dx, const double *y,
                int dy, double *a, int lda)
{
    column_major(order);
    for (int j = 0; j < n; j++)
        cblas_daxpy(m, alpha * y[start(n, dy) + j * dy], x, dx, a + (size_t)j * lda, 1);
}

void cblas_dtrsv(int order, int uplo, int trans, int diag, int n, const double *a, int lda,
                 double *x, int dx)
{
    column_major(order);
    int s = start(n, dx);
    /* Solved from the top if the matrix, or its transpose, is lower. */
    int down = (uplo == UPPER) == (trans != NO_TRANS);
    for (int k = 0; k < n; k++) {
        int i = down ? k : n - 1 - k;
        double t = x[s + i * dx];
        int from = down ? 0 : i + 1, to = down ? i : n;
        for (int j = from; j < to; j++) {
            double e = trans == NO_TRANS ? a[i + (size_t)j * lda] : a[j + (size_t)i * lda];
            t -= e * x[s + j * dx];
        }
        x[s + i * dx] = diag == UNIT ? t : t / a[i + (size_t)i * lda];
    }
}

void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a,
                 int lda, const double *b, int ldb, double beta, double *c, int ldc)
{
    column_major(order);
    for (int j = 0; j < n; j++) {
        double *out = c + (size_t)j * ldc;
        for (int i = 0; i < m; i++)
            out[i] = beta == 0 ? 0 : beta * out[i];
        for (int l = 0; l < k; l++) {
            double t = alpha * (tb == NO_TRANS ? b[l + (size_t)j * ldb] : b[j + (size_t)l * ldb]);
            if (ta == NO_TRANS) {
                const double *column = a + (size_t)l * lda;
                for (int i = 0; i < m; i++)
                    out[i] += t * column[i];
            } else {
                for (int i = 0; i < m; i++)
                    out[i] += t * a[l + (size_t)i * lda];
            }
        }
    }
}

void cblas_dtrsm(int order, int side, int uplo, int trans, int diag, int m, int n, double alpha,
                 const double *a, int lda, double *b, int ldb)
{
    column_major(order);
    for (int j = 0; j < n; j++)
        cblas_dscal(m, alpha, b + (size_t)j * ldb, 1);
    if (side == LEFT) {
        for (int j = 0; j < n; j++)
            cblas_dtrsv(order, uplo, trans, diag, m, a, lda, b + (size_t)j * ldb, 1);
    } else {
        /* X op(A) = B is op(A)' X' = B': one system a row, with the other transposition. */
        int other = trans == NO_TRANS ? NO_TRANS + 1 : NO_TRANS;
        for (int i = 0; i < m; i++)
            cblas_dtrsv(order, uplo, other, diag, n, a, lda, b + i, ldb);
    }
}
