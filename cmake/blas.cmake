# Finds a serial CBLAS: our own threads call it, one block of rows each, so that the bits of a
# result do not depend on the number of threads.
if(SLT_BLAS STREQUAL "" OR SLT_BLAS STREQUAL "blis")
  find_library(SLT_BLIS blis PATH_SUFFIXES blis-serial NO_CACHE)
  find_path(SLT_BLIS_INCLUDE NAMES cblas.h PATH_SUFFIXES blis blis-serial
    HINTS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} NO_CACHE)
endif()
if(SLT_BLAS STREQUAL "" OR SLT_BLAS STREQUAL "openblas")
  find_library(SLT_OPENBLAS openblas PATH_SUFFIXES openblas-serial NO_CACHE)
  find_path(SLT_OPENBLAS_INCLUDE NAMES cblas.h PATH_SUFFIXES openblas-serial
    HINTS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} NO_CACHE)
endif()
if(SLT_BLIS AND SLT_BLIS_INCLUDE)
  set(SLT_BLAS_NAME blis)
  set(SLT_BLAS_LIBRARY ${SLT_BLIS})
  set(SLT_BLAS_INCLUDE ${SLT_BLIS_INCLUDE})
elseif(SLT_OPENBLAS AND SLT_OPENBLAS_INCLUDE)
  set(SLT_BLAS_NAME openblas)
  set(SLT_BLAS_LIBRARY ${SLT_OPENBLAS})
  set(SLT_BLAS_INCLUDE ${SLT_OPENBLAS_INCLUDE})
else()
  message(FATAL_ERROR "no serial CBLAS found: install libblis-serial-dev or libopenblas-serial-dev (make deps does)")
endif()
message(STATUS "CBLAS: ${SLT_BLAS_NAME} (${SLT_BLAS_LIBRARY})")
