// gemm_amx.c for processors with AVX-512 alone: tile registers in memory, which hold nothing but
// what was configured, and abort where the processor would fault.
#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- rounding: the same numbers where nothing is smaller than the least normal number, which the
// processor takes for zero

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

#define ROUND_NUMBERS(low, high) round_numbers(low, high)

// ---- tiles

enum { TILES = 8, MOST_ROWS = 16, MOST_BYTES = 64 };

static uint8_t configured[64]; // of palette 0: no tiles
static uint8_t tile_bytes[TILES][MOST_ROWS][MOST_BYTES];

static int rows_of(int t) {
    if (configured[0] != 1) abort();
    return configured[48 + t];
}
static size_t bytes_of(int t) {
    uint16_t bytes;
    memcpy(&bytes, configured + 16 + 2 * t, sizeof bytes);
    return bytes;
}

static void tile_configure(const void *shapes) {
    memcpy(configured, shapes, sizeof configured);
    memset(tile_bytes, 0, sizeof tile_bytes);
    for (int t = 0; t < TILES; t++)
        if (rows_of(t) > MOST_ROWS || bytes_of(t) > MOST_BYTES) abort();
}
static void tile_release(void) { memset(configured, 0, sizeof configured); }

static void tile_load(int t, const void *from, size_t stride) {
    memset(tile_bytes[t], 0, sizeof tile_bytes[t]);
    for (int r = 0; r < rows_of(t); r++)
        memcpy(tile_bytes[t][r], (const char *)from + (size_t)r * stride, bytes_of(t));
}
static void tile_store(int t, void *to, size_t stride) {
    for (int r = 0; r < rows_of(t); r++)
        memcpy((char *)to + (size_t)r * stride, tile_bytes[t][r], bytes_of(t));
}
static void tile_zero(int t) {
    if (rows_of(t)) memset(tile_bytes[t], 0, sizeof tile_bytes[t]);
}

// the even and the odd numbers of a row in bf16
typedef struct {
    float even[MOST_BYTES / 4], odd[MOST_BYTES / 4];
} even_and_odd;

static even_and_odd unpacked(int t, int r) {
    uint32_t words[MOST_BYTES / 4], even[MOST_BYTES / 4], odd[MOST_BYTES / 4];
    even_and_odd p;
    memcpy(words, tile_bytes[t][r], sizeof words);
    for (int i = 0; i < MOST_BYTES / 4; i++) {
        even[i] = words[i] << 16;
        odd[i] = words[i] & 0xffff0000u;
    }
    memcpy(p.even, even, sizeof even);
    memcpy(p.odd, odd, sizeof odd);
    return p;
}

// tdpbf16ps: sums of even and of odd steps, then both added to the old sum. Rows are as long as
// they can be; what lies beyond is zero
static void tile_multiply(int sum, int a, int b) {
    int rows = rows_of(sum), steps = rows_of(b), columns = (int)bytes_of(sum) / 4;
    if (rows_of(a) != rows || (int)bytes_of(a) != 4 * steps || (int)bytes_of(b) != 4 * columns)
        abort();
    even_and_odd right[MOST_ROWS];
    for (int p = 0; p < steps; p++) right[p] = unpacked(b, p);
    for (int r = 0; r < rows; r++) {
        float old[MOST_BYTES / 4];
        even_and_odd left = unpacked(a, r), sums = {0};
        for (int p = 0; p < steps; p++)
            for (int j = 0; j < MOST_BYTES / 4; j++) {
                sums.even[j] += left.even[p] * right[p].even[j];
                sums.odd[j] += left.odd[p] * right[p].odd[j];
            }
        memcpy(old, tile_bytes[sum][r], sizeof old);
        for (int j = 0; j < columns; j++) old[j] += sums.even[j] + sums.odd[j];
        memcpy(tile_bytes[sum][r], old, sizeof old);
    }
}

#define TILE_LOAD(t, from, stride) tile_load(t, from, stride)
#define TILE_STORE(t, to, stride)  tile_store(t, to, stride)
#define TILE_ZERO(t)               tile_zero(t)
#define TILE_MULTIPLY(sum, a, b)   tile_multiply(sum, a, b)
#define TILE_CONFIGURE(shapes)     tile_configure(shapes)
#define TILE_RELEASE()             tile_release()

#define slt_gemm_amx slt_gemm_amx_emulated
#include "engine/gemm_amx.c"
