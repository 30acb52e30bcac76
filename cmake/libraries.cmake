# The libraries that are linked. Required: jansson, libyaml, zlib. Optional, said aloud, and by
# 'slottar --version': HDF5 (without it there is no slottar-hdf5) and a CBLAS (blas.cmake).
# SLT_WHEEL: as wheels carry them (tools/pack_wheels.py): HDF5 as an archive, the others next to the file.
option(SLT_WHEEL "libraries are found next to the file; HDF5 is linked as an archive" OFF)
set(SLT_HDF5 "AUTO" CACHE STRING "the program that reads and writes HDF5: AUTO, ON or OFF")
set_property(CACHE SLT_HDF5 PROPERTY STRINGS AUTO ON OFF)

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(JANSSON REQUIRED jansson)
pkg_check_modules(YAML REQUIRED yaml-0.1)
find_package(ZLIB REQUIRED)

set(SLT_HDF5_VERSION none)
if(NOT SLT_HDF5 STREQUAL "OFF")
  find_package(HDF5 COMPONENTS C)
  if(HDF5_FOUND)
    set(SLT_HDF5_VERSION ${HDF5_VERSION})
  elseif(SLT_HDF5 STREQUAL "ON")
    message(FATAL_ERROR "SLT_HDF5=ON, but there is no libhdf5 (make deps installs it)")
  endif()
endif()

set(SLT_LIBRARIES ${JANSSON_LINK_LIBRARIES} ${YAML_LINK_LIBRARIES} ${ZLIB_LIBRARIES})
set(SLT_HDF5_LIBRARIES ${HDF5_C_LIBRARIES})
if(SLT_WHEEL)
  set(CMAKE_BUILD_WITH_INSTALL_RPATH ON) # no room for another path, which would be the current folder
  set(CMAKE_INSTALL_RPATH $ORIGIN)
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH OFF)
  set(SLT_HDF5_LIBRARIES "")
  foreach(name hdf5 sz aec) # their own needs (curl, crypto) serve what is not linked
    find_library(SLT_ARCHIVE_${name} lib${name}.a PATH_SUFFIXES hdf5/serial REQUIRED)
    list(APPEND SLT_HDF5_LIBRARIES ${SLT_ARCHIVE_${name}})
  endforeach()
endif()

include(cmake/blas.cmake)
message(STATUS "HDF5: ${SLT_HDF5_VERSION}")
message(STATUS "CBLAS: ${SLT_BLAS_NAME}")
message(STATUS "matrix products: ${SLT_GEMM}")

# properties of sources hold in one folder of CMake's only: called in each
function(slt_source_flags)
  set(src ${PROJECT_SOURCE_DIR}/src)
  set_source_files_properties(${src}/devices/device_load.c PROPERTIES COMPILE_DEFINITIONS "SLT_BIN_LIB=\"${SLT_BIN_TO_LIB}\"")
  set_source_files_properties(${src}/core/build_info.c PROPERTIES COMPILE_DEFINITIONS
    "SLT_GEMM_NAME=\"${SLT_GEMM}\";SLT_BLAS_NAME=\"${SLT_BLAS_NAME}\";SLT_HDF5_VERSION=\"${SLT_HDF5_VERSION}\"")
  if(SLT_HAS_BLAS)
    set_source_files_properties(${src}/engine/gemm.c PROPERTIES COMPILE_DEFINITIONS SLT_HAS_BLAS)
    set_source_files_properties(${src}/engine/gemm_blas.c PROPERTIES INCLUDE_DIRECTORIES "${SLT_BLAS_INCLUDE}")
  endif()
endfunction()
slt_source_flags()
