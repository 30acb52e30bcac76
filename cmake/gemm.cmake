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
# Sums that fill the registers: ordering instructions before registers are given would spill them.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set_source_files_properties(src/skills/skill_forward.c PROPERTIES COMPILE_OPTIONS -fno-schedule-insns)
endif()
# Tiles are in registers only where loops over them are unrolled: at the O1 of tools/sanitized products and chains would
# take most of the time. What the address sanitizer finds as well is not checked twice.
if(SLT_SANITIZE)
  set_property(SOURCE src/engine/gemm_sse.c src/engine/gemm_avx2.c src/engine/gemm_avx512.c src/engine/gemm_neon.c
    src/ops/common/attention_base.c src/ops/common/attention_avx2.c src/ops/common/attention_avx512.c
    src/switching/symbol_chain.c src/switching/linear_chain.c src/switching/solve.c
    APPEND PROPERTY COMPILE_OPTIONS -O2 -fno-sanitize=null,alignment,object-size)
endif()
