// Instructions of AVX512-BF16 in those of AVX-512, for the kernels of gemm_pairs.h: the same
// numbers where nothing is smaller than the least normal number, which the processor takes for
// zero.
#ifndef EMULATED_PAIRS_H
#define EMULATED_PAIRS_H

#include <immintrin.h>

// 16 numbers in bf16, in the lower halves of words
static inline __m512i round_half(__m512 x) {
    __m512i bits = _mm512_castps_si512(x), one = _mm512_set1_epi32(1);
    __m512i even = _mm512_and_si512(_mm512_srli_epi32(bits, 16), one);
    __m512i nearest = _mm512_add_epi32(bits, _mm512_add_epi32(even, _mm512_set1_epi32(0x7fff)));
    __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    nearest = _mm512_mask_or_epi32(nearest, nan, bits, _mm512_set1_epi32(0x400000));
    return _mm512_srli_epi32(nearest, 16);
}

// vcvtne2ps2bf16
static inline __m512i round_numbers(__m512 low, __m512 high) {
    __m256i lower = _mm512_cvtepi32_epi16(round_half(low));
    __m256i upper = _mm512_cvtepi32_epi16(round_half(high));
    return _mm512_inserti64x4(_mm512_castsi256_si512(lower), upper, 1);
}

// vdpbf16ps: the odd numbers of pairs first
static inline __m512 dot_pairs(__m512 sum, __m512i a, __m512i b) {
    __m512i upper = _mm512_set1_epi32((int)0xffff0000);
    __m512 a1 = _mm512_castsi512_ps(_mm512_and_si512(a, upper));
    __m512 b1 = _mm512_castsi512_ps(_mm512_and_si512(b, upper));
    __m512 a0 = _mm512_castsi512_ps(_mm512_slli_epi32(a, 16));
    __m512 b0 = _mm512_castsi512_ps(_mm512_slli_epi32(b, 16));
    return _mm512_fmadd_ps(a0, b0, _mm512_fmadd_ps(a1, b1, sum));
}

#define ROUND_NUMBERS(low, high) round_numbers(low, high)
#define DOT_PAIRS(sum, a, b)     dot_pairs(sum, a, b)

#endif
