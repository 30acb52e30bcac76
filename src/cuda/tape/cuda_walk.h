// Running a tape on the device (cuda_tape.c).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_WALK_H
#define SLT_CUDA_WALK_H

#include "cuda/device/cuda_tape.h"

slt_status slt_cuda_tape_open(slt_tape *tape);
void slt_cuda_tape_close(slt_tape *tape);
slt_status slt_cuda_forward(slt_tape *tape);
slt_status slt_cuda_backward(slt_tape *tape);
slt_status slt_cuda_adam_step(slt_tape *tape);
slt_status slt_cuda_step(slt_tape *tape);
slt_status slt_cuda_wait(slt_tape *tape);
slt_status slt_cuda_begin(slt_tape *tape);
slt_status slt_cuda_end(slt_tape *tape);

#endif
