# MPI, for the command alone (src/cli/mpi_group.c): the library takes functions instead. AUTO: where
# there is one; said aloud either way.
set(SLT_MPI "AUTO" CACHE STRING "processes that share work over MPI: AUTO, ON or OFF")
set_property(CACHE SLT_MPI PROPERTY STRINGS AUTO ON OFF)

set(SLT_HAS_MPI OFF)
if(NOT SLT_MPI STREQUAL "OFF")
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(SLT_HAS_MPI ON)
    message(STATUS "MPI: ${MPI_C_COMPILER}, version ${MPI_C_VERSION}")
  elseif(SLT_MPI STREQUAL "ON")
    message(FATAL_ERROR "SLT_MPI=ON, but there is no MPI")
  else()
    message(STATUS "MPI: off, none was found")
  endif()
endif()
