// Matrix products in bf16: every kernel that this processor runs, and those of x86 with emulated
// instructions, against sums in double of factors that are rounded here. Plain C is one of them, so
// any two agree within twice the bound.
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "engine/gemm.h"
#include "engine/gemm_kernel.h"

enum { GAP = 3, GUARD = 777, LIST = 8 };

#ifdef SLT_EMULATED_GEMM
extern const slt_gemm_kernel slt_gemm_amx_emulated;
#endif

// ---- the kernels, each with a name of its own

typedef struct entry {
    const slt_gemm_kernel *kernel;
    char name[32];
} entry;

static entry list[LIST];
static int listed;

static void add_kernel(const slt_gemm_kernel *kernel, const char *more) {
    list[listed].kernel = kernel;
    snprintf(list[listed++].name, sizeof list->name, "%s%s", kernel->name, more);
}

static int list_kernels(void **state) {
    (void)state;
    for (int i = 0; slt_gemm_bf16_kernels[i]; i++) {
        const slt_gemm_kernel *kernel = slt_gemm_bf16_kernels[i];
        if (slt_gemm_works(kernel))
            add_kernel(kernel, "");
        else
            print_message("# skipped: %s, which %s\n", kernel->name,
                          kernel->needs == SLT_NEEDS_COMPILER
                              ? "this compiler does not know"
                              : "this processor or system does not have");
    }
#ifdef SLT_EMULATED_GEMM
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) {
        add_kernel(&slt_gemm_amx_emulated, ", emulated");
    } else {
        print_message("# skipped: the emulated kernel, which needs AVX-512\n");
    }
#endif
    return 0;
}

static void each_kernel(void (*check)(const entry *e)) {
    assert_true(listed >= 1);
    for (int i = 0; i < listed; i++) check(&list[i]);
}

// ---- numbers

static uint32_t seed = 1;
static float draw(void) {
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / (1 << 23) - 1;
}

// to the nearest number of eight significant bits, by its value; of two the even one
static double rounded(float x) {
    int exponent;
    double mantissa = frexp((double)x, &exponent);
    return ldexp(nearbyint(ldexp(mantissa, 8)), exponent - 8);
}

typedef struct matrix {
    int rows, columns, stride;
    float *at;
} matrix;

// exactly as long as it has to be, so that the sanitizer sees a read beyond the last row
static matrix matrix_make(int rows, int columns, int gap) {
    matrix m = {rows, columns, columns + gap, NULL};
    size_t count = (size_t)(rows - 1) * (size_t)m.stride + (size_t)columns;
    m.at = malloc(count * sizeof *m.at);
    assert_non_null(m.at);
    for (size_t i = 0; i < count; i++)
        m.at[i] = i % (size_t)m.stride < (size_t)columns ? draw() : GUARD;
    return m;
}

static size_t place(matrix m, bool transposed, int i, int j) {
    return transposed ? (size_t)j * (size_t)m.stride + (size_t)i
                      : (size_t)i * (size_t)m.stride + (size_t)j;
}

// ---- one product with its factors, the c before it, and the c it gives

typedef struct trial {
    slt_product product;
    matrix a, b, rounded_a, rounded_b, before, c;
} trial;

static matrix matrix_copy(matrix m) {
    matrix copy = m;
    size_t bytes = ((size_t)(m.rows - 1) * (size_t)m.stride + (size_t)m.columns) * sizeof *m.at;
    copy.at = malloc(bytes);
    assert_non_null(copy.at);
    memcpy(copy.at, m.at, bytes);
    return copy;
}

static matrix matrix_rounded(matrix m) {
    matrix out = matrix_copy(m);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.columns; j++)
            out.at[i * m.stride + j] = (float)rounded(m.at[i * m.stride + j]);
    return out;
}

static trial trial_make(int form, int m, int n, int k, int gap) {
    trial t = {.product = {.transpose_a = form & 1,
                           .transpose_b = form >> 1 & 1,
                           .add = form >> 2 & 1,
                           .m = m,
                           .n = n,
                           .k = k}};
    slt_product *p = &t.product;
    t.a = p->transpose_a ? matrix_make(k, m, gap) : matrix_make(m, k, gap);
    t.b = p->transpose_b ? matrix_make(n, k, gap) : matrix_make(k, n, gap);
    t.c = matrix_make(m, n, gap);
    t.rounded_a = matrix_rounded(t.a), t.rounded_b = matrix_rounded(t.b);
    t.before = matrix_copy(t.c);
    p->a = t.a.at, p->b = t.b.at, p->c = t.c.at;
    p->lda = t.a.stride, p->ldb = t.b.stride, p->ldc = t.c.stride;
    return t;
}

static void trial_free(trial *t) {
    free(t->a.at);
    free(t->b.at);
    free(t->rounded_a.at);
    free(t->rounded_b.at);
    free(t->c.at);
    free(t->before.at);
}

static void check_gaps(const trial *t) {
    for (int i = 0; i + 1 < t->c.rows; i++)
        for (int j = t->c.columns; j < t->c.stride; j++)
            assert_true(t->c.at[place(t->c, false, i, j)] == GUARD);
}

// within the bound of a sum of k products in fp32, each step rounded twice at most
static void check_element(const trial *t, const char *name, int i, int j) {
    const slt_product *p = &t->product;
    double sum = p->add ? (double)t->before.at[place(t->before, false, i, j)] : 0, size = fabs(sum);
    for (int q = 0; q < p->k; q++) {
        double term = (double)t->rounded_a.at[place(t->a, p->transpose_a, i, q)] *
                      (double)t->rounded_b.at[place(t->b, p->transpose_b, q, j)];
        sum += term;
        size += fabs(term);
    }
    double got = t->c.at[place(t->c, false, i, j)], bound = (p->k + 2) * 0x1p-23 * size;
    if (!(fabs(got - sum) <= bound))
        fail_msg("%s %d%d%d %dx%dx%d: c[%d][%d] is %.9g, wanted %.9g", name, p->transpose_a,
                 p->transpose_b, p->add, p->m, p->n, p->k, i, j, got, sum);
}

// all of a small product; of a large one the edges and every seventh element
static void check_close(const trial *t, const char *name) {
    int m = t->product.m, n = t->product.n;
    bool all = (double)m * n * t->product.k < 1e5;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            if (all || (i * n + j) % 7 == 0 || i == m - 1 || j == n - 1)
                check_element(t, name, i, j);
}

// with op(b) laid out beforehand, in the room that is promised
static void multiply_packed(const slt_gemm_kernel *kernel, const slt_product *product) {
    slt_product p = *product;
    size_t size = slt_gemm_packed_size(p.n, p.k);
    float *packed = malloc(size * sizeof *packed);
    assert_non_null(packed);
    kernel->pack(&p, packed);
    p.b = packed;
    kernel->multiply_packed(&p);
    free(packed);
}

// the same bits as those of t, whose c was computed in another way
static void check_same(const trial *t, const entry *e,
                       void (*way)(const slt_gemm_kernel *kernel, const slt_product *product)) {
    slt_product p = t->product;
    matrix c = matrix_copy(t->before);
    p.c = c.at;
    way(e->kernel, &p);
    for (int i = 0; i < p.m; i++)
        if (memcmp(c.at + i * c.stride, t->c.at + i * c.stride, (size_t)p.n * sizeof *c.at) != 0)
            fail_msg("%s %d%d%d %dx%dx%d: row %d is not the same", e->name, p.transpose_a,
                     p.transpose_b, p.add, p.m, p.n, p.k, i);
    free(c.at);
}

static void check_product(const entry *e, int form, int m, int n, int k, int gap) {
    trial t = trial_make(form, m, n, k, gap);
    e->kernel->multiply(&t.product);
    check_gaps(&t);
    if (!SANITIZED) check_close(&t, e->name);
    if (!(form & 1) && k >= SLT_GEMM_BF16_LEAST) check_same(&t, e, multiply_packed);
    trial_free(&t);
}

// ---- shapes

static void check_shapes(const entry *e) {
    static const int sizes[] = {1, 2, 3, 8, 9, 15, 16, 17, 31, 32, 33, 48, 64, 100, 257, 512};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    int form = 0;
    for (int m = 0; m < SIZES; m++)
        for (int n = 0; n < SIZES; n++)
            for (int k = 0; k < SIZES; k++) {
                if ((double)sizes[m] * sizes[n] * sizes[k] > 2e5) continue;
                check_product(e, form % 8, sizes[m], sizes[n], sizes[k], form % 3 ? 0 : GAP);
                form++;
            }
}
static void products_of_all_shapes(void **state) {
    (void)state;
    each_kernel(check_shapes);
}

static void check_forms(const entry *e) {
    static const int sizes[][3] = {{16, 16, 32}, {32, 48, 64}, {31, 47, 35},  {64, 64, 64},
                                   {33, 65, 63}, {5, 3, 100},  {65, 33, 129}, {128, 96, 32}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int form = 0; form < 8; form++)
            for (int gap = 0; gap <= GAP; gap += GAP)
                check_product(e, form, sizes[i][0], sizes[i][1], sizes[i][2], gap);
}
static void products_in_all_forms(void **state) {
    (void)state;
    each_kernel(check_forms);
}

// over the borders of blocks: 512 steps of k, 288 columns at that depth, bands of 64 rows
static void check_blocks(const entry *e) {
    static const int sizes[][3] = {{257, 100, 512}, {100, 512, 257}, {64, 300, 600},
                                   {129, 257, 513}, {70, 65, 1100},  {3, 600, 300}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int form = 0; form < 8; form += 3)
            check_product(e, form, sizes[i][0], sizes[i][1], sizes[i][2], 0);
}
static void products_of_many_blocks(void **state) {
    (void)state;
    each_kernel(check_blocks);
}

// ---- rounding

// what a factor becomes, where the other one is 1
static float round_by(const slt_gemm_kernel *kernel, bool in_a, float x) {
    float one = 1, c = 5;
    kernel->multiply(&(slt_product){.m = 1,
                                    .n = 1,
                                    .k = 1,
                                    .lda = 1,
                                    .ldb = 1,
                                    .ldc = 1,
                                    .a = in_a ? &x : &one,
                                    .b = in_a ? &one : &x,
                                    .c = &c});
    return c;
}

// next to 1 two numbers in bf16 are 1/128 apart, next to 256 they are 2
static void check_rounding(const entry *e) {
    static const struct {
        float from, to;
    } cases[] = {{1, 1},
                 {1 + 0x1p-8f, 1},
                 {1 + 0x1.02p-8f, 1 + 0x1p-7f},
                 {1 + 0x3p-8f, 1 + 0x1p-6f},
                 {1 + 0x2.fcp-8f, 1 + 0x1p-7f},
                 {-257, -256},
                 {-259, -260},
                 {0x1.ffp0f, 2},
                 {0x1.fep0f, 0x1.fep0f},
                 {0x1.fefffep127f, 0x1.fep127f},
                 {0x1.ffp127f, INFINITY},
                 {-INFINITY, -INFINITY},
                 {0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int in_a = 0; in_a < 2; in_a++) {
            float got = round_by(e->kernel, in_a, cases[i].from);
            if (got != cases[i].to)
                fail_msg("%s: %.9g becomes %.9g, wanted %.9g", e->name, (double)cases[i].from,
                         (double)got, (double)cases[i].to);
        }
    assert_true(isnan(round_by(e->kernel, true, NAN)));
    assert_true(isnan(round_by(e->kernel, false, NAN)));
}
static void factors_become_the_nearest_even_numbers(void **state) {
    (void)state;
    each_kernel(check_rounding);
}

// ---- what a result depends on

// one bad number in a or b reaches its row or column, also where it meets zeros, and nothing else
static void check_bad_number(const entry *e, bool in_a, float bad, int q) {
    enum { M = 37, N = 50, K = 300, I = 33, J = 49 };
    trial t = trial_make(0, M, N, K, 0);
    matrix zeros = in_a ? t.b : t.a;
    memset(zeros.at, 0, (size_t)zeros.rows * (size_t)zeros.columns * sizeof *zeros.at);
    *(in_a ? &t.a.at[I * K + q] : &t.b.at[q * N + J]) = bad;
    e->kernel->multiply(&t.product);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float got = t.c.at[i * N + j];
            if ((in_a ? i == I : j == J) ? !isnan(got) : got != 0)
                fail_msg("%s: %g in %s at %d, c[%d][%d] is %g", e->name, (double)bad,
                         in_a ? "a" : "b", q, i, j, (double)got);
        }
    trial_free(&t);
}
static void check_bad_numbers(const entry *e) {
    for (int in_a = 0; in_a < 2; in_a++)
        for (int q = 5; q < 300; q += 294) {
            check_bad_number(e, in_a, NAN, q);
            check_bad_number(e, in_a, INFINITY, q);
        }
}
static void bad_numbers_are_seen(void **state) {
    (void)state;
    each_kernel(check_bad_numbers);
}

// without `add` the old c counts for nothing, not even as NaN
static void check_old_values(const entry *e) {
    trial t = trial_make(0, 45, 50, 300, 0);
    for (int i = 0; i < 45 * 50; i++) t.c.at[i] = NAN;
    e->kernel->multiply(&t.product);
    if (!SANITIZED) check_close(&t, e->name);
    trial_free(&t);
}
static void old_values_are_overwritten(void **state) {
    (void)state;
    each_kernel(check_old_values);
}

// threads may share rows or columns as they like
static void multiply_parts(const slt_gemm_kernel *kernel, const slt_product *whole) {
    enum { HIGH = 19, BROAD = 37 };
    for (int i = 0; i < whole->m; i += HIGH)
        for (int j = 0; j < whole->n; j += BROAD) {
            slt_product part = *whole;
            part.m = whole->m - i < HIGH ? whole->m - i : HIGH;
            part.n = whole->n - j < BROAD ? whole->n - j : BROAD;
            part.a += part.transpose_a ? i : i * part.lda;
            part.b += part.transpose_b ? j * part.ldb : j;
            part.c += i * part.ldc + j;
            kernel->multiply(&part);
        }
}
static void check_parts(const entry *e) {
    for (int form = 0; form < 8; form++) {
        trial t = trial_make(form, 81, 90, 600, 0);
        e->kernel->multiply(&t.product);
        check_same(&t, e, multiply_parts);
        trial_free(&t);
    }
}
static void parts_have_the_bits_of_the_whole(void **state) {
    (void)state;
    each_kernel(check_parts);
}

// ---- the functions that everyone calls

static void the_calls_are_the_kernel(void **state) {
    (void)state;
    static float packed[48 * 40];
    const slt_gemm_kernel *kernel = slt_gemm_bf16_chosen();
    assert_true(slt_gemm_works(kernel));
    assert_true(slt_gemm_bf16_works() == (kernel != &slt_gemm_bf16_plain));
    assert_true(slt_gemm_packed_size(40, 40) <= sizeof packed / sizeof *packed);
    for (int form = 0; form < 8; form++) {
        trial t = trial_make(form, 20, 40, 40, GAP);
        slt_product *p = &t.product;
        if (form & 1) {
            slt_gemm_bf16(kernel, p->transpose_a, p->transpose_b, p->m, p->n, p->k, p->a, p->lda,
                          p->b, p->ldb, p->add, p->c, p->ldc);
        } else {
            slt_gemm_bf16_pack(kernel, p->transpose_b, p->n, p->k, p->b, p->ldb, packed);
            slt_gemm_bf16_packed(kernel, p->m, p->n, p->k, p->a, p->lda, packed, p->add, p->c,
                                 p->ldc);
        }
        check_close(&t, kernel->name);
        check_gaps(&t);
        trial_free(&t);
    }
}

static void empty_products(void **state) {
    (void)state;
    const slt_gemm_kernel *kernel = slt_gemm_bf16_chosen();
    float a[4] = {1, 2, 3, 4}, c[6] = {1, 2, 3, 4, 5, 6}, same[6] = {1, 2, 3, 4, 5, 6};
    slt_gemm_bf16(kernel, false, false, 0, 2, 2, a, 2, a, 2, false, c, 3);
    slt_gemm_bf16(kernel, false, false, 2, 0, 2, a, 2, a, 2, false, c, 3);
    slt_gemm_bf16(kernel, false, false, 2, 2, 0, a, 2, a, 2, true, c, 3);
    assert_memory_equal(c, same, sizeof c);
    slt_gemm_bf16(kernel, false, false, 2, 2, 0, a, 2, a, 2, false, c, 3);
    const float zeros[6] = {0, 0, 3, 0, 0, 6};
    assert_memory_equal(c, zeros, sizeof c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_all_shapes),
        cmocka_unit_test(products_in_all_forms),
        cmocka_unit_test(products_of_many_blocks),
        cmocka_unit_test(factors_become_the_nearest_even_numbers),
        cmocka_unit_test(bad_numbers_are_seen),
        cmocka_unit_test(old_values_are_overwritten),
        cmocka_unit_test(parts_have_the_bits_of_the_whole),
        cmocka_unit_test(the_calls_are_the_kernel),
        cmocka_unit_test(empty_products),
    };
    return cmocka_run_group_tests(tests, list_kernels, NULL);
}
