// The products of dense layers: y = act(x·W + c), and the gradients of x, of W and of c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/weight_group.h"
#include "ops/common/activation_kind.h"

void slt_cuda_input_gradient(const slt_cuda_args *args, int rows, int in, int out, slt_cuda_view dy,
                             slt_cuda_view w, bool add, slt_cuda_view dx) {
    if (dx.at) slt_cuda_gemm(args, false, true, rows, in, out, dy, out, w, out, add, dx, in);
}

void slt_cuda_dense_product(const slt_cuda_args *args, int rows, int out, int in, slt_cuda_view x,
                            slt_cuda_view w, slt_cuda_view c, int activation, slt_cuda_view y) {
    bool relu = activation == SLT_RELU, plain = relu || activation == SLT_LINEAR;
    if (c.at && plain && slt_cuda_fused_bias(args, rows, out, in, x, w, c, relu, y)) return;
    slt_cuda_gemm(args, false, false, rows, out, in, x, in, w, out, false, y, out);
    slt_cuda_bias_activate(args, y, rows, out, c, activation);
}

// rows of all members: above that a gradient fills the device, and does not wait for others; and
// the library's sum over rows, a launch of its own after the product, takes three times as long as
// the memory needs
enum { MANY_ROWS = 32768 };

void slt_cuda_weight_gradient(const slt_cuda_args *args, int in, int out, int rows, slt_cuda_view x,
                              slt_cuda_view dy, slt_cuda_view dw, bool add_w, slt_cuda_view dc,
                              bool add_c) {
    bool many = (int64_t)rows * args->members > MANY_ROWS;
    bool both = dw.at && dc.at && !add_c && !many;
    if (!dw.at && !dc.at) return;
    slt_weight_product product = {.x = x.at,
                                  .dy = dy.at,
                                  .dw = dw.at,
                                  .dc = dc.at,
                                  .rows = rows,
                                  .in = in,
                                  .out = out,
                                  .add_w = add_w,
                                  .add_c = add_c};
    if (!many && slt_cuda_weights_wait(args, &product)) return;
    slt_cuda_args side = slt_cuda_on_weight_stream(args);
    if (both && slt_cuda_fused_gradient(&side, in, out, rows, x, dy, add_w, dw, dc)) return;
    if (dw.at) slt_cuda_gemm(&side, true, false, in, out, rows, x, in, dy, out, add_w, dw, out);
    slt_cuda_bias_gradient(&side, dy, rows, out, dc, add_c);
}
