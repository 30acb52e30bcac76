# Makes a C file of the files that a page is made of: cmake -DOUT=FILE.c -DFILES=a;b -P embed.cmake
# NAME.css becomes slt_page_NAME_css(); all .js files together slt_page_scripts(), in their order.
set(code "// made by cmake/embed.cmake\n#include \"report/page_files.h\"\n")
set(scripts "")

function(embed name hex)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)"
         "\\1\n" bytes "${bytes}")
  set(code "${code}\nstatic const unsigned char ${name}[] = {\n${bytes}0};\n\nslt_page_file slt_page_${name}(void) {\n    return (slt_page_file){(const char *)${name}, sizeof ${name} - 1};\n}\n"
      PARENT_SCOPE)
endfunction()

foreach(file ${FILES})
  file(READ ${file} hex HEX)
  if(file MATCHES "\\.js$")
    string(APPEND scripts "${hex}")
  else()
    get_filename_component(name ${file} NAME)
    string(REPLACE "." "_" name ${name})
    embed(${name} "${hex}")
  endif()
endforeach()
embed(scripts "${scripts}")
file(WRITE ${OUT} "${code}")
