# Finds a serial CBLAS: our own threads call it, one block of rows each, so that the bits of a
# result do not depend on the number of threads. It multiplies the doubles of the checking build, and
# the floats where SLT_GEMM is blas.
foreach(name openblas blis)
  if(NOT SLT_BLAS_LIBRARY AND (SLT_BLAS STREQUAL "" OR SLT_BLAS STREQUAL name))
    unset(found)
    unset(header)
    find_library(found ${name} PATH_SUFFIXES ${name}-serial NO_CACHE)
    find_path(header NAMES cblas.h HINTS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
      PATH_SUFFIXES ${name}-serial ${name} NO_CACHE)
    if(found AND header)
      set(SLT_BLAS_LIBRARY ${found})
      set(SLT_BLAS_INCLUDE ${header})
    endif()
  endif()
endforeach()
if(NOT SLT_BLAS_LIBRARY)
  message(FATAL_ERROR "no serial CBLAS found: install libopenblas-serial-dev or libblis-serial-dev (make deps does)")
endif()
message(STATUS "CBLAS: ${SLT_BLAS_LIBRARY}")
