// What the library was built with.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "slottar/version.h"

const char *slt_build_info(void) {
    return "matrix products: " SLT_GEMM_NAME "\n"
           "CBLAS: " SLT_BLAS_NAME "\n"
           "HDF5: " SLT_HDF5_VERSION;
}
