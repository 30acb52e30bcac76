# The commit that is built; results carry it. What -DSLT_COMMIT=... says, else what git says, else what `git archive`
# wrote into commit.txt (make dist), else "unknown".
set(SLT_COMMIT "" CACHE STRING "the commit that results carry; empty: git is asked")
if(NOT SLT_COMMIT)
  set(SLT_COMMIT unknown)
  file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/commit.txt SLT_ARCHIVED LIMIT_COUNT 1)
  if(SLT_ARCHIVED MATCHES "^[0-9a-f]+$")
    set(SLT_COMMIT ${SLT_ARCHIVED})
  endif()
  find_package(Git QUIET)
  if(GIT_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} rev-parse --short=12 HEAD
      OUTPUT_VARIABLE SLT_GIT_HEAD OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(SLT_GIT_HEAD)
      set(SLT_COMMIT ${SLT_GIT_HEAD})
    endif()
  endif()
  # a new commit is a new answer
  if(EXISTS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
  endif()
endif()
