// gemm_avx512bf16.c for processors with AVX-512 alone.
#include "emulated/emulated_pairs.h"

#define slt_gemm_avx512bf16 slt_gemm_avx512bf16_emulated
#include "engine/gemm_avx512bf16.c"
