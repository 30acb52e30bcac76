// Products with something after them in the same launch (cuBLASLt): a bias and a ReLU, or the sum
// over rows that is the bias's gradient. Where the library has no such kernel the two are launched
// one after the other. What is used is a function of the shapes alone, chosen by the library's own
// rules, never by timing.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <cublasLt.h>
#include <string.h>
#include "cuda/device/cuda_device.h"

// what decides the kernel
typedef struct {
    int64_t epilogue, compute, transpose_a, transpose_b, m, n, k, members, add;
    int64_t factors, result; // their types
    int64_t stride[4];       // of a, b, c, bias
} shape_key;                 // without holes: compared as bytes

struct slt_cuda_plan {
    struct slt_cuda_plan *next;
    shape_key key;
    bool works;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, c; // as cuBLAS names them: ours are the other way round
    cublasLtMatmulAlgo_t algorithm;
};

static bool is_done(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS; }

static bool set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t what,
                const void *value, size_t bytes) {
    return is_done(cublasLtMatmulDescSetAttribute(product, what, value, bytes));
}

static bool make_layout(cublasLtMatrixLayout_t *out, int64_t type, int64_t rows, int64_t columns,
                        int64_t members, int64_t stride) {
    int32_t count = (int32_t)members;
    if (type == CUDA_R_16BF) stride *= 2; // two numbers in a float's place
    if (!is_done(cublasLtMatrixLayoutCreate(out, (cudaDataType_t)type, (uint64_t)rows,
                                            (uint64_t)columns, rows)))
        return false;
    return members == 1 ||
           (is_done(cublasLtMatrixLayoutSetAttribute(*out, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                     &count, sizeof count)) &&
            is_done(cublasLtMatrixLayoutSetAttribute(
                *out, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride)));
}

static bool describe(struct slt_cuda_plan *plan) {
    const shape_key *k = &plan->key;
    cublasOperation_t op_a = k->transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasOperation_t op_b = k->transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasLtEpilogue_t epilogue = (cublasLtEpilogue_t)k->epilogue;
    if (!is_done(
            cublasLtMatmulDescCreate(&plan->product, (cublasComputeType_t)k->compute, CUDA_R_32F)))
        return false;
    // a weight gradient of one member leaves room for the chain next to it
    int32_t few = k->transpose_a && k->members == 1 ? SLT_CUDA_FEW : 0;
    int64_t bias = k->result == CUDA_R_16BF ? 2 * k->stride[3] : k->stride[3];
    return set(plan->product, CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, &few, sizeof few) &&
           set(plan->product, CUBLASLT_MATMUL_DESC_TRANSA, &op_b, sizeof op_b) &&
           set(plan->product, CUBLASLT_MATMUL_DESC_TRANSB, &op_a, sizeof op_a) &&
           set(plan->product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue) &&
           (k->members == 1 ||
            set(plan->product, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, &bias, sizeof bias)) &&
           make_layout(&plan->a, k->factors, k->transpose_b ? k->k : k->n,
                       k->transpose_b ? k->n : k->k, k->members, k->stride[1]) &&
           make_layout(&plan->b, k->factors, k->transpose_a ? k->m : k->k,
                       k->transpose_a ? k->k : k->m, k->members, k->stride[0]) &&
           make_layout(&plan->c, k->result, k->n, k->m, k->members, k->stride[2]);
}

// the library's first choice, with the bias at an address that says how it is aligned
static bool choose(slt_cuda *cuda, struct slt_cuda_plan *plan, const void *bias) {
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t result;
    size_t room = SLT_CUDA_WORKSPACE;
    int found = 0;
    if (!set(plan->product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias)) return false;
    if (!is_done(cublasLtMatmulPreferenceCreate(&preference))) return false;
    bool done = is_done(cublasLtMatmulPreferenceSetAttribute(
                    preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room)) &&
                is_done(cublasLtMatmulAlgoGetHeuristic((cublasLtHandle_t)cuda->blas, plan->product,
                                                       plan->a, plan->b, plan->c, plan->c,
                                                       preference, 1, &result, &found)) &&
                found > 0 && is_done(result.state);
    cublasLtMatmulPreferenceDestroy(preference);
    if (done) plan->algorithm = result.algo;
    return done;
}

static struct slt_cuda_plan *plan_of(slt_cuda *cuda, const shape_key *key, const void *bias) {
    for (struct slt_cuda_plan *plan = cuda->plans; plan; plan = plan->next)
        if (memcmp(&plan->key, key, sizeof *key) == 0) return plan;
    struct slt_cuda_plan *plan;
    if (SLT_ALLOC(&cuda->context->allocator, &plan, 1) != SLT_OK) return NULL;
    plan->key = *key;
    plan->works = describe(plan) && choose(cuda, plan, bias);
    plan->next = cuda->plans;
    cuda->plans = plan;
    return plan;
}

void slt_cuda_plans_close(slt_cuda *cuda) {
    while (cuda->plans) {
        struct slt_cuda_plan *plan = cuda->plans;
        cuda->plans = plan->next;
        if (plan->product) cublasLtMatmulDescDestroy(plan->product);
        cublasLtMatrixLayout_t layouts[] = {plan->a, plan->b, plan->c};
        for (int i = 0; i < 3; i++)
            if (layouts[i]) cublasLtMatrixLayoutDestroy(layouts[i]);
        slt_free(&cuda->context->allocator, plan);
    }
}

// numbers of factors and of the result, bias included
typedef struct {
    cudaDataType_t factors, result;
} number_types;

// c (m,n) = op(a)·op(b), and `from` with `add`, with an epilogue, all of them dense; false: not
// done
static bool fused(const slt_cuda_args *args, number_types types, cublasLtEpilogue_t epilogue,
                  bool transpose_a, bool transpose_b, int m, int n, int k, slt_cuda_view a,
                  slt_cuda_view b, bool add, slt_cuda_view from, slt_cuda_view c,
                  slt_cuda_view bias) {
    slt_cuda *cuda = args->cuda;
    if (!SLT_CUDA_FUSED) return false;
    shape_key key = {.epilogue = epilogue,
                     .compute =
                         types.factors == CUDA_R_16BF ? CUBLAS_COMPUTE_32F : slt_cuda_compute(cuda),
                     .factors = types.factors,
                     .result = types.result,
                     .transpose_a = transpose_a,
                     .transpose_b = transpose_b,
                     .m = m,
                     .n = n,
                     .k = k,
                     .members = args->members,
                     .add = add,
                     .stride = {a.stride, b.stride, c.stride, bias.stride}};
    struct slt_cuda_plan *plan = plan_of(cuda, &key, bias.at);
    if (!plan || !plan->works || cuda->status != SLT_OK) return false;
    const float one = 1, beta = add ? 1 : 0;
    slt_cuda_stream place = slt_cuda_place(args);
    if (!set(plan->product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias.at, sizeof bias.at))
        return false;
    plan->works = is_done(cublasLtMatmul((cublasLtHandle_t)place.blas, plan->product, &one, b.at,
                                         plan->a, a.at, plan->b, &beta, from.at, plan->c, c.at,
                                         plan->c, &plan->algorithm, place.workspace,
                                         SLT_CUDA_WORKSPACE, place.stream));
    return plan->works;
}

static const number_types FLOATS = {CUDA_R_32F, CUDA_R_32F};

bool slt_cuda_fused_bias(const slt_cuda_args *args, int rows, int out, int in, slt_cuda_view x,
                         slt_cuda_view w, slt_cuda_view c, bool relu, slt_cuda_view y) {
    return fused(args, FLOATS, relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS, false,
                 false, rows, out, in, x, w, false, y, y, c);
}

bool slt_cuda_fused_pairs(const slt_cuda_args *args, int rows, int out, int in, slt_cuda_view x,
                          slt_cuda_view w, slt_cuda_view c, bool relu, bool pairs,
                          slt_cuda_view y) {
    number_types types = {CUDA_R_16BF, pairs ? CUDA_R_16BF : CUDA_R_32F};
    return fused(args, types, relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS, false,
                 false, rows, out, in, x, w, false, y, y, c);
}

bool slt_cuda_fused_gradient(const slt_cuda_args *args, int in, int out, int rows, slt_cuda_view x,
                             slt_cuda_view dy, bool add, slt_cuda_view dw, slt_cuda_view dc) {
    return fused(args, FLOATS, CUBLASLT_EPILOGUE_BGRADA, true, false, in, out, rows, x, dy, add, dw,
                 dw, dc);
}

bool slt_cuda_fused_residual(const slt_cuda_args *args, int rows, int out, int in, slt_cuda_view x,
                             slt_cuda_view w, slt_cuda_view from, slt_cuda_view y) {
    number_types types = {CUDA_R_16BF, CUDA_R_16BF};
    slt_cuda_view none = {NULL, 0};
    return fused(args, types, CUBLASLT_EPILOGUE_DEFAULT, false, true, rows, out, in, x, w, true,
                 from, y, none);
}
