// A head of attention, forward and backward, against the same in plain doubles: sizes that are no
// whole vectors, more queries than a chunk, fewer keys than queries, gradients added to others.
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "core/philox.h"
#include "engine/cpu.h"
#include "ops/common/attention_head.h"

enum { LONGEST = 131, WIDEST = 33, HEADS = 2, STRIDE = 3 * HEADS * WIDEST };

// one sequence of two heads; the second is looked at, the first shows what is overwritten
typedef struct {
    slt_real qkv[LONGEST * STRIDE], out[LONGEST * HEADS * WIDEST], dout[LONGEST * HEADS * WIDEST];
    slt_real gradient[LONGEST * STRIDE], most[LONGEST], inverse[LONGEST];
    slt_real *scratch;
} sequence;

static slt_real unit(uint64_t index, uint32_t stream) {
    slt_words words = slt_random_words(7, SLT_RANDOM_TEST, index, stream);
    return (slt_real)(words.word[0] * 0x1p-31 - 1);
}

static slt_head head_of(sequence *s, int queries, int keys, int size, bool add) {
    size_t d = (size_t)(HEADS * size), channel = (size_t)size;
    for (uint64_t i = 0; i < LONGEST * STRIDE; i++) {
        s->qkv[i] = 2 * unit(i, 0);
        s->gradient[i] = unit(i, 1);
    }
    for (uint64_t i = 0; i < LONGEST * HEADS * WIDEST; i++) {
        s->out[i] = 77;
        s->dout[i] = unit(i, 2);
    }
    return (slt_head){.queries = queries,
                      .keys = keys,
                      .size = size,
                      .stride = 3 * d,
                      .out_stride = d,
                      .scale = (slt_real)(1 / sqrt(size)),
                      .q = s->qkv + channel,
                      .k = s->qkv + d + channel,
                      .v = s->qkv + 2 * d + channel,
                      .most = s->most,
                      .inverse = s->inverse,
                      .out = s->out + channel,
                      .dout = s->dout + channel,
                      .dq = s->gradient + channel,
                      .dk = s->gradient + d + channel,
                      .dv = s->gradient + 2 * d + channel,
                      .add = add,
                      .scratch = s->scratch};
}

// probabilities of query i, in doubles
static void probabilities(const slt_head *h, int i, double *p) {
    double most = -1e300, sum = 0;
    for (int j = 0; j < h->keys; j++) {
        p[j] = 0;
        for (int c = 0; c < h->size; c++)
            p[j] += (double)h->scale * (double)h->q[(size_t)i * h->stride + (size_t)c] *
                    (double)h->k[(size_t)j * h->stride + (size_t)c];
        most = fmax(most, p[j]);
    }
    for (int j = 0; j < h->keys; j++) sum += p[j] = exp(p[j] - most);
    for (int j = 0; j < h->keys; j++) p[j] /= sum;
}

// what forward and backward must give: o (queries, size), then dq, dk, dv
typedef struct {
    double out[LONGEST][WIDEST], gradient[3][LONGEST][WIDEST];
} truth;

static void work_out(const slt_head *h, truth *t) {
    static double p[LONGEST], dp[LONGEST];
    memset(t, 0, sizeof *t);
    for (int i = 0; i < h->queries; i++) {
        const slt_real *dout = h->dout + (size_t)i * h->out_stride;
        double dot = 0;
        probabilities(h, i, p);
        for (int j = 0; j < h->keys; j++) {
            dp[j] = 0;
            for (int c = 0; c < h->size; c++) {
                double v = (double)h->v[(size_t)j * h->stride + (size_t)c];
                t->out[i][c] += p[j] * v;
                dp[j] += (double)dout[c] * v;
                t->gradient[2][j][c] += p[j] * (double)dout[c];
            }
            dot += p[j] * dp[j];
        }
        for (int j = 0; j < h->keys; j++)
            for (int c = 0; c < h->size; c++) {
                double ds = p[j] * (dp[j] - dot) * (double)h->scale;
                t->gradient[0][i][c] += ds * (double)h->k[(size_t)j * h->stride + (size_t)c];
                t->gradient[1][j][c] += ds * (double)h->q[(size_t)i * h->stride + (size_t)c];
            }
    }
}

static void check_near(double have, double want, const char *what, const slt_head *h, int i) {
    if (fabs(have - want) <= 2e-5) return;
    fail_msg("%s, row %d: %g instead of %g (%d queries, %d keys, size %d)", what, i, have, want,
             h->queries, h->keys, h->size);
}

static void check_gradient(const slt_head *h, const truth *t, const sequence *before, int part) {
    static const char *const names[] = {"dq", "dk", "dv"};
    const slt_real *rows[] = {h->dq, h->dk, h->dv};
    size_t at = (size_t)(rows[part] - h->dq) + (size_t)h->size;
    for (int i = 0; i < (part ? h->keys : h->queries); i++)
        for (int c = 0; c < h->size; c++) {
            size_t place = (size_t)i * h->stride + (size_t)c;
            double was = h->add ? (double)before->gradient[at + place] : 0;
            check_near((double)rows[part][place], was + t->gradient[part][i][c], names[part], h, i);
        }
}

static void check_head(const slt_head_kernel *kernel, int queries, int keys, int size, bool add) {
    static sequence s, before;
    static truth t;
    s.scratch = malloc(slt_head_scratch(queries, size) * sizeof *s.scratch);
    slt_head h = head_of(&s, queries, keys, size, add);
    before = s;
    work_out(&h, &t);
    kernel->forward(&h);
    kernel->backward(&h);
    for (int i = 0; i < queries; i++)
        for (int c = 0; c < size; c++) {
            check_near((double)h.out[(size_t)i * h.out_stride + (size_t)c], t.out[i][c], "o", &h,
                       i);
            assert_true(s.out[(size_t)i * h.out_stride + (size_t)c] == 77); // the first head
        }
    for (int part = 0; part < 3; part++) check_gradient(&h, &t, &before, part);
    for (int i = 0; i < queries; i++) // the first head's gradients
        for (int c = 0; c < size; c++) {
            size_t place = (size_t)i * h.stride + (size_t)c;
            assert_true(s.gradient[place] == before.gradient[place]);
        }
    free(s.scratch);
}

static void check_kernel(const slt_head_kernel *kernel) {
    static const int sizes[] = {1, 2, 6, 8, 12, 16, 17, 32, WIDEST};
    static const int queries[] = {1, 2, 3, 7, 23, 24, 64, 65, LONGEST};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof queries / sizeof *queries; k++) {
            check_head(kernel, queries[k], queries[k], sizes[i], false);
            check_head(kernel, queries[k], (queries[k] + 1) / 2, sizes[i], true);
        }
}

static void every_width_agrees_with_plain_doubles(void **state) {
    (void)state;
    check_kernel(&slt_head_base);
#ifdef __x86_64__
    if (slt_cpu_kind() >= SLT_CPU_AVX2) check_kernel(&slt_head_avx2);
    if (slt_cpu_kind() >= SLT_CPU_AVX512) check_kernel(&slt_head_avx512);
#endif
}

// a score far below the largest counts nothing, one that is no number spoils its query alone
static void scores_without_bounds(void **state) {
    (void)state;
    static sequence s;
    s.scratch = malloc(slt_head_scratch(5, 4) * sizeof *s.scratch);
    slt_head h = head_of(&s, 5, 5, 4, false);
    for (int c = 0; c < 4; c++) {
        s.qkv[(h.q - s.qkv) + c] = 1e4f;
        s.qkv[(h.k - s.qkv) + c] = 1e4f;
        s.qkv[(size_t)(h.q - s.qkv) + h.stride + (size_t)c] = NAN;
    }
    slt_head_chosen(4)->forward(&h);
    for (int c = 0; c < 4; c++) {
        assert_true(h.out[c] == h.v[c]);
        assert_true(isnan(h.out[h.out_stride + (size_t)c]));
        assert_true(isfinite(h.out[2 * h.out_stride + (size_t)c]));
    }
    free(s.scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_agrees_with_plain_doubles),
        cmocka_unit_test(scores_without_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
