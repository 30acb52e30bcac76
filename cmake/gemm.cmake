# Kernels for processors newer than the build's: each file is compiled for its own and chosen at run
# time. (In the checking build, with doubles, these files are empty.)
if(NOT SLT_GEMM MATCHES "^(own|blas)$")
  message(FATAL_ERROR "SLT_GEMM is '${SLT_GEMM}', wanted own or blas")
endif()
if(SLT_GEMM STREQUAL "blas")
  add_compile_definitions(SLT_GEMM_BLAS)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set_source_files_properties(src/engine/gemm_avx2.c src/ops/common/attention_avx2.c
    PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma")
  set_source_files_properties(src/engine/gemm_avx512.c PROPERTIES COMPILE_OPTIONS "-mavx512f;-mfma")
  set_source_files_properties(src/ops/common/attention_avx512.c
    PROPERTIES COMPILE_OPTIONS "-mavx512f;-mavx512vl;-mavx512dq;-mavx512bw;-mfma")
endif()
# Those that multiply in bf16 need a compiler, and an assembler, from about 2020; with an older one they stay empty.
include(CheckCSourceCompiles)
function(slt_kernel_flags file flags statement)
  string(REPLACE ";" " " CMAKE_REQUIRED_FLAGS "${flags}")
  string(MAKE_C_IDENTIFIER "SLT_COMPILES_${file}" known)
  check_c_source_compiles("int main(void) { __asm__ volatile(\"${statement}\"); return 0; }" ${known})
  if(${known})
    set_source_files_properties(src/engine/${file} PROPERTIES COMPILE_OPTIONS "${flags}")
  endif()
endfunction()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  slt_kernel_flags(gemm_amx.c "-mavx512f;-mavx512bw;-mavx512bf16;-mamx-tile;-mamx-bf16" "tdpbf16ps %tmm2, %tmm1, %tmm0")
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  slt_kernel_flags(gemm_bfmmla.c "-march=armv8.2-a+bf16" "bfmmla v0.4s, v1.8h, v2.8h")
endif()
# Sums that fill the registers: ordering instructions before registers are given would spill them.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set_source_files_properties(src/skills/skill_forward.c PROPERTIES COMPILE_OPTIONS -fno-schedule-insns)
endif()
# Tiles are in registers only where loops over them are unrolled: at the O1 of tools/sanitized products, chains and
# policies would take most of the time. What the address sanitizer finds as well is not checked twice.
if(SLT_SANITIZE)
  set(SLT_KERNELS_UNCHECKED -fno-sanitize=null,alignment,object-size,pointer-overflow)
  set_property(SOURCE src/engine/gemm_sse.c src/engine/gemm_avx2.c src/engine/gemm_avx512.c src/engine/gemm_neon.c
    src/engine/gemm_amx.c src/engine/gemm_bfmmla.c src/engine/gemm_bf16_plain.c
    src/ops/common/attention_base.c src/ops/common/attention_avx2.c src/ops/common/attention_avx512.c
    src/switching/symbol_chain.c src/switching/linear_chain.c src/switching/solve.c
    APPEND PROPERTY COMPILE_OPTIONS -O2 ${SLT_KERNELS_UNCHECKED})
  # Other loops that trainings spend their time in, with all checks.
  set_property(SOURCE src/ops/common/dropout.c src/ops/common/dense_bits.c src/ops/common/layer_norm.c
    src/ops/mdl/window_attention.c src/experts/policy_net.c
    APPEND PROPERTY COMPILE_OPTIONS -O2)
endif()
