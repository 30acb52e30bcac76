// What the kernels of chains see. Arrays of rows hold `room` rows per member; row r of member m
// with K laws has its K numbers at (m * room * most + r * K), most the greatest K.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_CHAINS_H
#define SLT_CUDA_CHAINS_H

#include "engine/chain_device.h"

enum { SLT_CHAIN_CHUNK = 1024 }; // rows whose sums one block makes

typedef enum { SLT_SUM_STAY, SLT_SUM_FRESH } slt_chain_rows;

typedef struct {
    void *stream;
    int A, D, count, most, chunks;
    int64_t room, sequence_room;     // rows and sequences per member
    int64_t row_step, sequence_step; // from member to member in `rows` and `sequences`: 0, one list
    const float *actions, *features;
    const int32_t *rows;      // the step of a row; ~step at the first of a sequence
    const int32_t *sequences; // first row of every sequence, and the end
    slt_chain_law *law;
    float *W, *V;
    double *numbers;
    float *r_stay, *r_fresh;           // residuals [K*A]
    double *p_stay, *p_fresh, *offset; // densities [K], and their scale's log
    double *alpha, *back_p, *back_f;   // [K] forward; beta times densities
    double *scale;                     // one per row
    float *stay, *fresh;               // posteriors [K]
    double *nats;                      // [sequences]
    uint8_t *back, *cut, *path;        // [K], one, one
    double *part;                      // sums of chunks
    double *sums;                      // [count][width]
    slt_chain_sums *moves;             // [count]
} slt_chain_args;

#ifdef __cplusplus
extern "C" {
#endif
void slt_cuda_chain_residuals(const slt_chain_args *args);
void slt_cuda_chain_densities(const slt_chain_args *args, bool logs);
void slt_cuda_chain_smooth(const slt_chain_args *args);
void slt_cuda_chain_moves(const slt_chain_args *args);
// equations of all laws into `sums`
void slt_cuda_chain_equations(const slt_chain_args *args, slt_chain_rows rows);
void slt_cuda_chain_memory(const slt_chain_args *args);
void slt_cuda_chain_spread(const slt_chain_args *args);
void slt_cuda_chain_paths(const slt_chain_args *args);
#ifdef __cplusplus
}
#endif

#endif
