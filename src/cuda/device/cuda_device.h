// The CUDA device of a context: a stream, a handle of cuBLAS, and the first thing that went
// wrong. Host side, plain C; kernels know cuda_op.h only.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_DEVICE_H
#define SLT_CUDA_DEVICE_H

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include "cuda/kernels/cuda_op.h"
#include "cuda/kernels/weight_group.h"
#include "engine/device_rows.h"
#include "engine/tape_impl.h"

// a stream for weight gradients, which nobody waits for but Adam
typedef struct {
    cudaStream_t stream;
    cublasHandle_t blas;
    void *workspace;
} slt_cuda_stream;

// sides take weight gradients in turn; the others are for sums over rows, which are small and are
// never held, for what fills the device at the end of a step: all others go before it, and for the
// slots' nodes and sums that nobody waits for
enum {
    SLT_CUDA_WEIGHT_STREAMS = 3,
    SLT_CUDA_SUM_STREAM = SLT_CUDA_WEIGHT_STREAMS,
    SLT_CUDA_FINAL_STREAM,
    SLT_CUDA_SLOT_STREAM,
    SLT_CUDA_SIDE_STREAMS,
    SLT_CUDA_HELD = 64,
    SLT_CUDA_WRITERS = 64
};

struct slt_cuda {
    slt_device device; // first: a slt_device
    slt_context *context;
    int number; // of the GPU
    cudaStream_t stream;
    cublasHandle_t blas;
    void *workspace;
    slt_cuda_stream side[SLT_CUDA_SIDE_STREAMS];
    cudaStream_t copies;            // what is fed, while the previous step runs
    cudaEvent_t fork, rest, ready;  // ready: the last gradient that waits for its group
    cudaMemPool_t pool;             // of the device's memory
    struct slt_cuda_pinned *pinned; // memory here that the device copies from
    int side_stream;                // where the current node has work on the side; -1: it has none
    int side_next;                  // whose turn it is
    cudaGraphNode_t held[SLT_CUDA_HELD]; // of a graph: side work that waits for its time
    int held_count;
    // of gradients that work on the side adds to: it waits for them
    cudaEvent_t writer[SLT_CUDA_WRITERS];
    int writers;
    slt_weight_group weights;    // gradients that wait for others
    struct slt_cuda_plan *plans; // of fused products
    slt_status status;           // sticky: a device that failed stays failed
    char message[256];
};

// multiprocessors that a weight gradient of one member is made for, in tf32 and in bf16
enum { SLT_CUDA_FEW = 40, SLT_CUDA_HALF = 64 };
enum { SLT_CUDA_WORKSPACE = 32 << 20 }; // of cuBLAS, fixed, so that captured graphs may use it

#ifndef SLT_CUDA_FUSED
#define SLT_CUDA_FUSED 1 // 0: plain products, one after the other
#endif
enum { SLT_CUDA_LAG = SLT_CUDA_FUSED ? 32 : 0 }; // nodes that the side may be late

// stream, handle and workspace of a node's products
static inline slt_cuda_stream slt_cuda_place(const slt_cuda_args *args) {
    const slt_cuda *cuda = args->cuda;
    for (int i = 0; i < SLT_CUDA_SIDE_STREAMS; i++)
        if (args->stream == cuda->side[i].stream) return cuda->side[i];
    return (slt_cuda_stream){cuda->stream, cuda->blas, cuda->workspace};
}
static inline slt_cuda *slt_cuda_of(const slt_store *store) { return (slt_cuda *)store->device; }

// is there a GPU that these kernels were compiled for?
slt_status slt_cuda_usable(void);
slt_status slt_cuda_open(slt_context *context, slt_device **out);
void slt_cuda_close(slt_device *device);
slt_status slt_cuda_peak(slt_device *device, double seconds, double *gflops, double *gb_per_s);

// ---- errors (cuda_error.c)

// OK, or a sentence with what was being done; the failure sticks to the device
slt_status slt_cuda_check(slt_cuda *cuda, cudaError_t error, const char *doing);
// what stuck, if anything
slt_status slt_cuda_status(slt_cuda *cuda);
#define SLT_CUDA_TRY(cuda, call, doing) SLT_TRY(slt_cuda_check((cuda), (call), (doing)))

// how an event is waited for: where several contexts share the GPU, without keeping a core busy
static inline unsigned slt_cuda_waiting(const slt_cuda *cuda) {
    return cuda->context->parent ? cudaEventDisableTiming | cudaEventBlockingSync
                                 : cudaEventDisableTiming;
}
// waits for all that the stream has to do
slt_status slt_cuda_rest(slt_cuda *cuda);

// Whoever captures, loads code or reserves memory does so alone in the process: the driver may want
// to wait for the whole device, which it cannot while somebody captures.
void slt_cuda_lock(void);
void slt_cuda_unlock(void);

// ---- memory (cuda_memory.c)

slt_status slt_cuda_memory_open(slt_cuda *cuda);
void slt_cuda_memory_close(slt_cuda *cuda);
// zeroed memory on the device; out of memory is said with what is free. It is given back in the
// order of the stream: the side must have been joined
slt_status slt_cuda_alloc(slt_cuda *cuda, size_t bytes, void **out);
void slt_cuda_free(slt_cuda *cuda, void *memory);
// page-locked memory here with `room` for the bytes, seen by the device; laid back when the device
// has done with it
slt_status slt_cuda_pin(slt_cuda *cuda, size_t bytes, void **out, size_t *room);
void slt_cuda_unpin(slt_cuda *cuda, void *memory);

// ---- side work that is held until the chain leaves room for it (deferred_work.c)

// what is launched on the side from here on waits until `release`
void slt_cuda_hold(slt_cuda *cuda, cudaStream_t side);
void slt_cuda_release(slt_cuda *cuda);

// ---- products (cuda_gemm.c, cuda_fused.c)

static inline cublasComputeType_t slt_cuda_compute(const slt_cuda *cuda) {
    static const cublasComputeType_t of[] = {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32,
                                             CUBLAS_COMPUTE_32F_FAST_16BF};
    return of[cuda->context->precision];
}
void slt_cuda_plans_close(slt_cuda *cuda);

// ---- a store's blocks (cuda_store.c)

typedef struct {
    float *value, *gradient, *moment1, *moment2;
    uint16_t *rounded; // values in bf16; NULL: nobody multiplies in bf16
    slt_cuda_piece *pieces;
    int pieces_each;
    double *norms, *norm;
} slt_cuda_blocks;

slt_status slt_cuda_store_open(slt_store *store);
void slt_cuda_store_close(slt_store *store);
slt_status slt_cuda_store_fetch(slt_store *store);
slt_status slt_cuda_gradients_fetch(slt_store *store);
slt_status slt_cuda_gradients_send(slt_store *store);
slt_status slt_cuda_norms_fetch(slt_store *store);
// what was edited here goes to the device
slt_status slt_cuda_store_send(slt_store *store);

// ---- device rows (cuda_device_rows.c)

typedef struct {
    char *rows[SLT_COLUMNS]; // words, or of bits 64-bit offsets
    uint16_t *ones[SLT_COLUMNS];
    int64_t count[SLT_COLUMNS]; // of ones that are there
} slt_cuda_device_rows;

slt_status slt_cuda_device_rows_open(slt_device_rows *rows_of_device);
void slt_cuda_device_rows_close(slt_device_rows *rows_of_device);
slt_status slt_cuda_device_rows_add(slt_device_rows *rows_of_device, const void *const *data,
                                    int rows);

#endif
