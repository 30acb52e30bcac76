# What a build does against mistakes that are still in it: checked copies, guarded stacks, tables
# that are read-only after the start, addresses that nobody can guess. tests/cli/test_harden.sh
# looks at the result. None of it changes a number.
option(SLT_HARDEN "checked copies, guarded stacks, read-only tables, PIE" ON)
include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

# a definition that the compiler would have to optimise for, and that sanitizers do better
if(SLT_HARDEN AND NOT SLT_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  add_compile_options("$<$<COMPILE_LANGUAGE:C>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>")
endif()

function(slt_harden flag)
  string(MAKE_C_IDENTIFIER "SLT_HAS${flag}" has)
  set(CMAKE_REQUIRED_FLAGS -Werror)
  check_c_compiler_flag(${flag} ${has})
  if(${has})
    add_compile_options($<$<COMPILE_LANGUAGE:C>:${flag}>)
  endif()
endfunction()
if(SLT_HARDEN)
  slt_harden(-fstack-protector-strong)
  slt_harden(-fstack-clash-protection)
  slt_harden(-fcf-protection)               # x86_64
  slt_harden(-mbranch-protection=standard)  # aarch64
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()
