// The emulated device: runtime and grid. Products are in emulated_products.cc.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <deque>
#include <vector>
#include "cublas_v2.h"
#include "cuda/kernels/cuda_op.h"
#include "emulated_grid.h"
#include "emulated_products.h"

dim3 threadIdx, blockIdx, blockDim, gridDim;

// ---- a stream does everything at once, or writes it down

struct slt_emulated_graph {
    std::vector<std::function<void()>> calls;
};
// what a late stream has still to do: work, or to wait for calls of another
struct slt_emulated_call {
    std::function<void()> work;
    slt_emulated_stream *other;
    unsigned long place;
};
struct slt_emulated_stream {
    bool late; // does nothing until somebody waits for it
    std::deque<slt_emulated_call> calls;
    unsigned long begun, done;
};
struct slt_emulated_event {
    double time;
    slt_emulated_stream *stream;
    unsigned long place; // calls of the stream before it
};
struct slt_emulated_blas {
    slt_emulated_stream *stream;
};
static slt_emulated_graph *captured;

static void run(const std::function<void()> &work) {
    if (captured)
        captured->calls.push_back(work);
    else
        work();
}

static void call(void *stream_, const std::function<void()> &work) {
    slt_emulated_stream *stream = (slt_emulated_stream *)stream_;
    stream->begun++;
    if (stream->late)
        stream->calls.push_back({work, nullptr, 0});
    else
        stream->done++, run(work);
}

// a late stream catches up, and before it whoever it waits for
static void catch_up(slt_emulated_stream *stream, unsigned long place) {
    while (stream->done < place) {
        slt_emulated_call next = stream->calls.front();
        stream->calls.pop_front();
        stream->done++;
        if (next.other)
            catch_up(next.other, next.place);
        else
            run(next.work);
    }
}

// ---- threads of a block

// jumps between stacks. GCC's own save three pointers and leave registers to the function around
// them; those of the C library take most of a test's time
#if defined(__clang__)
typedef jmp_buf jump_place;
#define SAVE_PLACE(place) _setjmp(place)
#define JUMP_TO(place)    _longjmp(place, 1)
#else
typedef void *jump_place[5];
#define SAVE_PLACE(place) __builtin_setjmp(place)
#define JUMP_TO(place)    jump_to(place)
[[noreturn]] __attribute__((noinline)) static void jump_to(jump_place place) {
    __builtin_longjmp(place, 1);
}
#endif

namespace {
enum state { READY, AT_WARP, AT_BLOCK, DONE };
struct thread {
    jump_place place;
    char *stack;
    dim3 index;
    state at;
    int turn; // of the warp's shuffles
};
// stacks of a warp begin in different lines of a cache
enum { STACK = (64 << 10) + 512, MOST = 1024, SHARED = 228 << 10 };
thread threads[MOST];
jump_place scheduler;
int current, count;
const std::function<void()> *body;
float exchange[2][MOST];
alignas(1024) float dynamic_shared[SHARED / sizeof(float)];

void die(const char *why) {
    fprintf(stderr, "emulated grid: %s (block %u,%u,%u thread %d)\n", why, blockIdx.x, blockIdx.y,
            blockIdx.z, current);
    abort();
}

void become(int i) {
    current = i;
    threadIdx = threads[i].index;
}

// to the next lane of the warp if it is ready, else back to the scheduler; comes back when the
// thread is resumed
__attribute__((noinline)) void leave() {
    if (SAVE_PLACE(threads[current].place)) return;
    int next = current + 1;
    if (next % 32 == 0 || next >= count || threads[next].at != READY || !threads[next].stack)
        JUMP_TO(scheduler);
    become(next);
    JUMP_TO(threads[next].place);
}

// a coroutine serves the same thread of all blocks: contexts are made once, since making one and
// swapping two ask the kernel for signal masks
void run_body() {
    for (;;) {
        (*body)();
        threads[current].at = DONE;
        leave();
    }
}

void enter(thread &t) {
    static ucontext_t context;
    getcontext(&context);
    t.stack = (char *)malloc(STACK);
    context.uc_stack.ss_sp = t.stack;
    context.uc_stack.ss_size = STACK;
    context.uc_link = NULL;
    makecontext(&context, run_body, 0);
    setcontext(&context);
}

__attribute__((noinline)) void resume(int i) {
    become(i);
    if (SAVE_PLACE(scheduler)) return;
    if (threads[i].stack) JUMP_TO(threads[i].place);
    enter(threads[i]);
}

// runs a warp until all of its threads are done or at the block's barrier
void run_warp(int first, int end) {
    for (;;) {
        int waiting = 0, others = 0;
        for (int i = first; i < end; i++) {
            if (threads[i].at == READY) resume(i);
            (threads[i].at == AT_WARP ? waiting : others)++;
        }
        if (!waiting) return;
        if (others) die("not all lanes of a warp reach a shuffle");
        for (int i = first; i < end; i++) threads[i].at = READY;
    }
}

void run_block() {
    for (int i = 0; i < count; i++) {
        threads[i].at = READY;
        threads[i].turn = 0;
    }
    for (;;) {
        int done = 0;
        for (int first = 0; first < count; first += 32)
            run_warp(first, first + 32 < count ? first + 32 : count);
        for (int i = 0; i < count; i++) done += threads[i].at == DONE;
        if (done == count) return;
        if (done) die("not all threads of a block reach a barrier");
        for (int i = 0; i < count; i++) threads[i].at = READY;
    }
}
} // namespace

void slt_emulated_barrier(bool whole_block) {
    threads[current].at = whole_block ? AT_BLOCK : AT_WARP;
    leave();
}

// two buffers in turn: one barrier is enough
float slt_emulated_shuffle(float value, int from) {
    int own = current, turn = threads[own].turn++ % 2, other = own / 32 * 32 + from;
    exchange[turn][own] = value;
    slt_emulated_barrier(false);
    return exchange[turn][other < count ? other : own];
}

float *slt_emulated_shared(void) { return dynamic_shared; }

extern "C" {
unsigned emulated_launches = 0;
}

static void run_grid(dim3 grid, dim3 block, size_t bytes, const std::function<void()> &kernel) {
    if (block.x * block.y * block.z > MOST || bytes > SHARED) die("launch too large");
    if (grid.x < 1 || grid.y < 1 || grid.z < 1 || grid.y > 65535 || grid.z > 65535)
        die("launch of no blocks, or too many");
    emulated_launches++;
    blockDim = block;
    gridDim = grid;
    count = (int)(block.x * block.y * block.z);
    for (unsigned i = 0; i < (unsigned)count; i++)
        threads[i].index = dim3(i % block.x, i / block.x % block.y, i / block.x / block.y);
    body = &kernel;
    for (unsigned z = grid.z; z-- > 0;)
        for (unsigned y = grid.y; y-- > 0;)
            for (unsigned x = grid.x; x-- > 0;) {
                blockIdx = dim3(x, y, z);
                memset(dynamic_shared, 0xff, bytes);
                run_block();
            }
}

void slt_emulate(void *stream, dim3 grid, dim3 block, size_t bytes,
                 const std::function<void()> &kernel) {
    call(stream, [=]() { run_grid(grid, block, bytes, kernel); });
}

// ---- the runtime

extern "C" {

void slt_cuda_plans_close(slt_cuda *cuda);

// this library has no fused products
bool slt_cuda_fused_bias(const slt_cuda_args *, int, int, int, slt_cuda_view, slt_cuda_view,
                         slt_cuda_view, bool, slt_cuda_view) {
    return false;
}
bool slt_cuda_fused_pairs(const slt_cuda_args *, int, int, int, slt_cuda_view, slt_cuda_view,
                          slt_cuda_view, bool, bool, slt_cuda_view) {
    return false;
}
bool slt_cuda_fused_residual(const slt_cuda_args *, int, int, int, slt_cuda_view, slt_cuda_view,
                             slt_cuda_view, slt_cuda_view) {
    return false;
}
bool slt_cuda_fused_gradient(const slt_cuda_args *, int, int, int, slt_cuda_view, slt_cuda_view,
                             bool, slt_cuda_view, slt_cuda_view) {
    return false;
}
void slt_cuda_plans_close(slt_cuda *) {}

const char *cudaGetErrorString(cudaError_t error) {
    static const char *const texts[] = {"no error", "invalid argument", "out of memory"};
    return texts[error];
}
cudaError_t cudaGetLastError(void) { return cudaSuccess; }
cudaError_t cudaPeekAtLastError(void) { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int *devices) { return *devices = 1, cudaSuccess; }
cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
// for tests: the most bytes that were asked for at once, and those that are given
extern "C" {
size_t emulated_asked = 0, emulated_room = (size_t)1 << 40;
}
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
    return *free_bytes = *total = emulated_room, cudaSuccess;
}
// not a number until somebody writes it
static cudaError_t reserve(void **memory, size_t bytes) {
    if (bytes > emulated_asked) emulated_asked = bytes;
    *memory = bytes > emulated_room ? NULL : malloc(bytes);
    if (!*memory) return cudaErrorMemoryAllocation;
    memset(*memory, 0xff, bytes);
    return cudaSuccess;
}
cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t) {
    return reserve(memory, bytes);
}
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream) {
    call(stream, [=]() { free(memory); });
    return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int) {
    return *pool = nullptr, cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned) { return reserve(memory, bytes); }
cudaError_t cudaFreeHost(void *memory) { return free(memory), cudaSuccess; }
cudaError_t cudaHostGetDevicePointer(void **there, void *here, unsigned) {
    return *there = here, cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream) {
    call(stream, [=]() { memset(memory, value, bytes); });
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
    call(stream, [=]() { memcpy(to, from, bytes); });
    return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    return *least = 0, *greatest = -2, cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned, int priority) {
    *stream = new slt_emulated_stream();
    (*stream)->late = priority > -2;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    delete stream;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (captured) return cudaErrorInvalidValue; // not while a graph is captured
    catch_up(stream, stream->begun);
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    if (!event->stream) return cudaSuccess;
    if (!stream->late) return catch_up(event->stream, event->place), cudaSuccess;
    stream->begun++;
    stream->calls.push_back({nullptr, event->stream, event->place});
    return cudaSuccess;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return *event = new slt_emulated_event(), cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
    return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    event->time = now();
    event->stream = stream;
    event->place = stream->begun;
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
    return *ms = (float)(1e3 * (to->time - from->time)), cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
    captured = new slt_emulated_graph();
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *graph) {
    *graph = captured;
    captured = NULL;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *run, cudaGraph_t graph, unsigned long long) {
    return *run = new slt_emulated_graph(*graph), cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t run) {
    delete run;
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t run, cudaStream_t) {
    for (const auto &work : run->calls) work();
    return cudaSuccess;
}

// ---- products: columns are contiguous

cublasStatus_t cublasCreate(cublasHandle_t *handle) {
    *handle = new slt_emulated_blas();
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t, void *, size_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t, int) { return CUBLAS_STATUS_SUCCESS; }
const char *cublasGetStatusString(cublasStatus_t) { return "invalid value"; }

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a,
                                          cublasOperation_t op_b, int m, int n, int k,
                                          const void *alpha, const void *a_, cudaDataType_t type_a,
                                          int lda, long long stride_a, const void *b_,
                                          cudaDataType_t type_b, int ldb, long long stride_b,
                                          const void *beta_, void *c_, cudaDataType_t type_c,
                                          int ldc, long long stride_c, int batches,
                                          cublasComputeType_t, cublasGemmAlgo_t) {
    float scale = *(const float *)alpha, beta = *(const float *)beta_;
    int rows_a = op_a == CUBLAS_OP_N ? m : k, rows_b = op_b == CUBLAS_OP_N ? k : n;
    if (m < 1 || n < 1 || k < 1 || lda < rows_a || ldb < rows_b || ldc < m)
        return CUBLAS_STATUS_INVALID_VALUE;
    bool turn_a = op_a != CUBLAS_OP_N, turn_b = op_b != CUBLAS_OP_N;
    call(handle->stream, [=]() {
        for (int i = 0; i < batches; i++)
            slt_emulated_product(m, n, k, scale,
                                 {(void *)a_, type_a == CUDA_R_32F, i * stride_a, turn_a ? lda : 1,
                                  turn_a ? 1 : lda},
                                 {(void *)b_, type_b == CUDA_R_32F, i * stride_b, turn_b ? 1 : ldb,
                                  turn_b ? ldb : 1},
                                 beta, {c_, type_c == CUDA_R_32F, i * stride_c, 1, ldc});
    });
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                            int m, int n, int k, const void *alpha, const void *a,
                            cudaDataType_t type_a, int lda, const void *b, cudaDataType_t type_b,
                            int ldb, const void *beta, void *c, cudaDataType_t type_c, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
    return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, 0, b,
                                      type_b, ldb, 0, beta, c, type_c, ldc, 0, 1, compute,
                                      algorithm);
}
}
