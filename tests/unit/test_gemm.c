// Matrix products: every kernel that this processor runs, against sums in double and, bit for bit,
// against the order of sums that gemm_kernel.h promises.
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "engine/gemm.h"
#include "engine/gemm_kernel.h"

enum { GAP = 3, GUARD = 777 };

typedef struct matrix {
    int rows, columns, stride;
    float *at;
} matrix;

static uint32_t seed = 1;
static float draw(void) {
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / (1 << 23) - 1;
}

static matrix matrix_make(int rows, int columns, int gap) {
    matrix m = {rows, columns, columns + gap, NULL};
    // exactly as long as it has to be, so that the sanitizer sees a read beyond the last row
    size_t count = (size_t)(rows - 1) * (size_t)m.stride + (size_t)columns;
    m.at = malloc(count * sizeof *m.at);
    assert_non_null(m.at);
    for (size_t i = 0; i < count; i++) {
        bool inside = i % (size_t)m.stride < (size_t)columns;
        m.at[i] = inside ? draw() : GUARD;
    }
    return m;
}

static inline float at(matrix m, bool transposed, int i, int j) {
    return transposed ? m.at[(size_t)j * (size_t)m.stride + (size_t)i]
                      : m.at[(size_t)i * (size_t)m.stride + (size_t)j];
}

// one product with its factors, the c before it, and the c it gives
typedef struct trial {
    slt_product product;
    matrix a, b, before, c;
} trial;

static trial trial_make(int form, int m, int n, int k, int gap) {
    trial t = {
        .product = {form & 1, form >> 1 & 1, form >> 2 & 1, m, n, k, NULL, NULL, NULL, 0, 0, 0}};
    slt_product *p = &t.product;
    t.a = p->transpose_a ? matrix_make(k, m, gap) : matrix_make(m, k, gap);
    t.b = p->transpose_b ? matrix_make(n, k, gap) : matrix_make(k, n, gap);
    uint32_t same = seed;
    t.c = matrix_make(m, n, gap);
    seed = same;
    t.before = matrix_make(m, n, gap);
    p->a = t.a.at, p->b = t.b.at, p->c = t.c.at;
    p->lda = t.a.stride, p->ldb = t.b.stride, p->ldc = t.c.stride;
    return t;
}

static void trial_free(trial *t) {
    free(t->a.at);
    free(t->b.at);
    free(t->c.at);
    free(t->before.at);
}

static void check_gaps(const trial *t) {
    for (int i = 0; i + 1 < t->c.rows; i++)
        for (int j = t->c.columns; j < t->c.stride; j++)
            assert_true(at(t->c, false, i, j) == GUARD);
}

// within the bound of a sum of k products, each step rounded twice at most
static void check_close(const trial *t, const char *name) {
    const slt_product *p = &t->product;
    for (int i = 0; i < p->m; i++)
        for (int j = 0; j < p->n; j++) {
            double sum = p->add ? at(t->before, false, i, j) : 0, size = fabs(sum);
            for (int q = 0; q < p->k; q++) {
                double term =
                    (double)at(t->a, p->transpose_a, i, q) * (double)at(t->b, p->transpose_b, q, j);
                sum += term;
                size += fabs(term);
            }
            double got = at(t->c, false, i, j), bound = (p->k + 2) * 0x1p-23 * size;
            if (!(fabs(got - sum) <= bound))
                fail_msg("%s %d%d%d %dx%dx%d: c[%d][%d] is %.9g, wanted %.9g", name, p->transpose_a,
                         p->transpose_b, p->add, p->m, p->n, p->k, i, j, got, sum);
        }
}

// the promised order of sums; volatile: the compiler shall not fuse what rounds twice
static float promised(const trial *t, slt_sums sums, int i, int j) {
    const slt_product *p = &t->product;
    volatile float total = at(t->before, false, i, j), chain = 0;
    for (int q = 0; q < p->k; q++) {
        float a = at(t->a, p->transpose_a, i, q), b = at(t->b, p->transpose_b, q, j);
        volatile float term = a * b;
        bool first = q % SLT_GEMM_DEPTH == 0;
        chain = first ? term : sums == SLT_SUMS_FUSED ? fmaf(a, b, chain) : chain + term;
        bool last = q + 1 == p->k || (q + 1) % SLT_GEMM_DEPTH == 0;
        if (last) total = p->add || q >= SLT_GEMM_DEPTH ? total + chain : chain;
    }
    return total;
}

static void check_bits(const trial *t, const slt_gemm_kernel *kernel) {
    const slt_product *p = &t->product;
    for (int i = 0; i < p->m; i++)
        for (int j = 0; j < p->n; j++) {
            float got = at(t->c, false, i, j), wanted = promised(t, kernel->sums, i, j);
            if (memcmp(&got, &wanted, sizeof got) != 0)
                fail_msg("%s %d%d%d %dx%dx%d: c[%d][%d] is %a, wanted %a", kernel->name,
                         p->transpose_a, p->transpose_b, p->add, p->m, p->n, p->k, i, j, got,
                         wanted);
        }
}

static void multiply(const slt_gemm_kernel *kernel, const trial *t) {
    kernel->multiply(&t->product);
}

// with op(b) laid out beforehand
static void multiply_packed(const slt_gemm_kernel *kernel, const trial *t) {
    slt_product p = t->product;
    float *packed = malloc(slt_gemm_packed_size(p.n, p.k) * sizeof *packed);
    assert_non_null(packed);
    kernel->pack(&p, packed);
    p.b = packed;
    kernel->multiply_packed(&p);
    free(packed);
}

static void check_way(void (*way)(const slt_gemm_kernel *kernel, const trial *t),
                      const slt_gemm_kernel *kernel, trial t) {
    way(kernel, &t);
    check_gaps(&t);
    if (!SANITIZED) check_close(&t, kernel->name);
    if (!SANITIZED && kernel->sums != SLT_SUMS_OTHER) check_bits(&t, kernel);
    trial_free(&t);
}

static void check_kernel(const slt_gemm_kernel *kernel, int m, int n, int k) {
    for (int form = 0; form < 8; form++)
        for (int gap = 0; gap <= GAP; gap += GAP) {
            check_way(multiply, kernel, trial_make(form, m, n, k, gap));
            if (!(form & 1)) check_way(multiply_packed, kernel, trial_make(form, m, n, k, gap));
        }
}

// calls check for every kernel that works here
static int each_kernel(void (*check)(const slt_gemm_kernel *kernel)) {
    int count = 0;
    for (int i = 0; slt_gemm_kernels[i]; i++)
        if (slt_gemm_works(slt_gemm_kernels[i])) check(slt_gemm_kernels[i]), count++;
    return count;
}

static void check_small(const slt_gemm_kernel *kernel) {
    static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 17, 25};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (int m = 0; m < SIZES; m++)
        for (int n = 0; n < SIZES; n++)
            for (int k = 0; k < SIZES; k += 1 + (m + n) % 3)
                check_kernel(kernel, sizes[m], sizes[n], sizes[k]);
}
static void small_products(void **state) {
    (void)state;
    assert_true(each_kernel(check_small) >= 2);
}

// over the borders of blocks: depth 256, 288 columns at that depth, lines that are fetched ahead,
// bands of 48 or 64 rows, factors that are laid out before the first tile, up to 128 rows together
static void check_blocks(const slt_gemm_kernel *kernel) {
    static const int sizes[][3] = {{9, 50, 256},  {17, 49, 257},  {6, 289, 256},  {10, 301, 300},
                                   {13, 100, 47}, {33, 20, 1030}, {96, 96, 96},   {40, 7, 520},
                                   {53, 61, 300}, {102, 100, 32}, {70, 290, 256}, {134, 110, 260}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_kernel(kernel, sizes[i][0], sizes[i][1], sizes[i][2]);
}
static void products_of_many_blocks(void **state) {
    (void)state;
    each_kernel(check_blocks);
}

// one bad number in a or b reaches its row or column, also where it meets zeros, and nothing else
static void check_bad_numbers(const slt_gemm_kernel *kernel) {
    static const float bad[] = {NAN, INFINITY};
    for (int c = 0; c < 4; c++) {
        int m = 11, n = 14, k = 300, in_a = c & 1, i = 9, j = 13, q = c < 2 ? 5 : 299;
        trial t = trial_make(0, m, n, k, 0);
        // the other factor is zero everywhere: 0·NaN and 0·Inf are NaN
        matrix zeros = in_a ? t.b : t.a;
        memset(zeros.at, 0, (size_t)zeros.rows * (size_t)zeros.columns * sizeof *zeros.at);
        if (in_a)
            t.a.at[i * k + q] = bad[c / 2];
        else
            t.b.at[q * n + j] = bad[c / 2];
        kernel->multiply(&t.product);
        for (int y = 0; y < m; y++)
            for (int x = 0; x < n; x++) {
                bool hit = in_a ? y == i : x == j;
                float got = at(t.c, false, y, x);
                if (hit ? !isnan(got) : got != 0)
                    fail_msg("%s: case %d, c[%d][%d] is %g", kernel->name, c, y, x, got);
            }
        trial_free(&t);
    }
}
static void bad_numbers_are_seen(void **state) {
    (void)state;
    each_kernel(check_bad_numbers);
}

// without `add` the old c counts for nothing, not even as NaN
static void check_old_values(const slt_gemm_kernel *kernel) {
    trial t = trial_make(0, 11, 14, 300, 0);
    for (int i = 0; i < 11 * 14; i++) t.c.at[i] = NAN;
    kernel->multiply(&t.product);
    check_close(&t, kernel->name);
    trial_free(&t);
}
static void old_values_are_overwritten(void **state) {
    (void)state;
    each_kernel(check_old_values);
}

static void empty_products(void **state) {
    (void)state;
    float a[4] = {1, 2, 3, 4}, c[6] = {1, 2, 3, 4, 5, 6}, same[6] = {1, 2, 3, 4, 5, 6};
    slt_gemm(false, false, 0, 2, 2, a, 2, a, 2, false, c, 3);
    slt_gemm(false, false, 2, 0, 2, a, 2, a, 2, false, c, 3);
    slt_gemm(false, false, 2, 2, 0, a, 2, a, 2, true, c, 3);
    assert_memory_equal(c, same, sizeof c);

    // an empty sum is zero; the gap between rows stays
    slt_gemm(false, false, 2, 2, 0, a, 2, a, 2, false, c, 3);
    const float zeros[6] = {0, 0, 3, 0, 0, 6};
    assert_memory_equal(c, zeros, sizeof c);
}

// the function that everyone calls hands over what it was given, to a kernel that works here
static void the_call_is_the_kernel(void **state) {
    (void)state;
    assert_true(slt_gemm_works(slt_gemm_chosen()));
    for (int form = 0; form < 8; form++) {
        trial t = trial_make(form, 20, 30, 40, GAP);
        slt_product *p = &t.product;
        slt_gemm(p->transpose_a, p->transpose_b, p->m, p->n, p->k, p->a, p->lda, p->b, p->ldb,
                 p->add, p->c, p->ldc);
        check_close(&t, slt_gemm_chosen()->name);
        check_gaps(&t);
        trial_free(&t);
    }
}

static void the_call_with_a_packed_factor_is_the_kernel(void **state) {
    (void)state;
    static float packed[32 * 40];
    assert_true(slt_gemm_packed_size(30, 40) <= sizeof packed / sizeof *packed);
    for (int form = 0; form < 8; form += 2) {
        trial t = trial_make(form, 20, 30, 40, GAP);
        slt_product *p = &t.product;
        slt_gemm_pack(p->transpose_b, p->n, p->k, p->b, p->ldb, packed);
        slt_gemm_packed(p->m, p->n, p->k, p->a, p->lda, packed, p->add, p->c, p->ldc);
        check_close(&t, slt_gemm_chosen()->name);
        check_gaps(&t);
        trial_free(&t);
    }
}

// a product in parts has the bits of the whole: threads may share rows or columns as they like
static void check_parts(const slt_gemm_kernel *kernel) {
    if (kernel->sums == SLT_SUMS_OTHER) return;
    for (int form = 0; form < 8; form++) {
        trial t = trial_make(form, 41, 90, 300, 0);
        slt_product part = t.product;
        for (int i = 0; i < 41; i += 19)
            for (int j = 0; j < 90; j += 37) {
                part.m = 41 - i < 19 ? 41 - i : 19;
                part.n = 90 - j < 37 ? 90 - j : 37;
                part.a = t.a.at + (part.transpose_a ? i : i * t.a.stride);
                part.b = t.b.at + (part.transpose_b ? j * t.b.stride : j);
                part.c = t.c.at + i * t.c.stride + j;
                kernel->multiply(&part);
            }
        check_bits(&t, kernel);
        trial_free(&t);
    }
}
static void parts_have_the_bits_of_the_whole(void **state) {
    (void)state;
    each_kernel(check_parts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_products),
        cmocka_unit_test(products_of_many_blocks),
        cmocka_unit_test(bad_numbers_are_seen),
        cmocka_unit_test(old_values_are_overwritten),
        cmocka_unit_test(empty_products),
        cmocka_unit_test(the_call_is_the_kernel),
        cmocka_unit_test(the_call_with_a_packed_factor_is_the_kernel),
        cmocka_unit_test(parts_have_the_bits_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
