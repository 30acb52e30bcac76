# What 'make install' puts where, and the pages and completions that are made for it. The command's
# come from its own tables, the library's from the public headers.
find_program(SLT_AWK awk REQUIRED)
file(GLOB SLT_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/slottar/*.h)
set(SLT_PAGES ${PROJECT_BINARY_DIR}/pages)

add_custom_command(OUTPUT ${SLT_PAGES}/made
  COMMAND ${PROJECT_SOURCE_DIR}/tools/pages $<TARGET_FILE:slottar_command> ${SLT_AWK} ${SLT_PAGES} ${PROJECT_VERSION} ${SLT_HEADERS}
  DEPENDS slottar_command ${SLT_HEADERS} ${PROJECT_SOURCE_DIR}/tools/pages ${PROJECT_SOURCE_DIR}/tools/api-pages.awk
  COMMENT "Making manual pages and completions" VERBATIM)
add_custom_target(slottar_pages ALL DEPENDS ${SLT_PAGES}/made)

# what the static library needs: names for pkg-config and for find_package(slottar)
set(SLT_PRIVATE jansson yaml z ${SLT_BLAS_NAME} dl m)
list(REMOVE_ITEM SLT_PRIVATE none)
list(JOIN SLT_PRIVATE " -l" SLT_PRIVATE_FLAGS)
set(SLT_PRIVATE_FLAGS "-l${SLT_PRIVATE_FLAGS} -pthread")
if(SLT_HAS_BLAS) # in a folder of its own
  get_filename_component(folder ${SLT_BLAS_LIBRARY} DIRECTORY)
  set(SLT_PRIVATE_FLAGS "-L${folder} ${SLT_PRIVATE_FLAGS}")
  list(TRANSFORM SLT_PRIVATE REPLACE "^${SLT_BLAS_NAME}$" ${SLT_BLAS_LIBRARY})
endif()
set(SLT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/slottar)
file(RELATIVE_PATH SLT_CONFIG_TO_PREFIX ${CMAKE_INSTALL_PREFIX}/${SLT_CMAKE_DIR} ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/slottar.pc.in ${PROJECT_BINARY_DIR}/slottar.pc @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/slottar-config.cmake.in ${PROJECT_BINARY_DIR}/slottar-config.cmake @ONLY)
include(CMakePackageConfigHelpers)
# before 1.0 versions with the same first two numbers fit each other
write_basic_package_version_file(${PROJECT_BINARY_DIR}/slottar-config-version.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS slottar slottar_static slottar_command)
install(FILES ${PROJECT_BINARY_DIR}/slottar-config.cmake ${PROJECT_BINARY_DIR}/slottar-config-version.cmake
  DESTINATION ${SLT_CMAKE_DIR})
if(SLT_HAS_CUDA)
  install(TARGETS slottar_cuda DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET slottar_hdf5)
  install(TARGETS slottar_hdf5 DESTINATION ${SLT_HELPER_DIR})
endif()
install(FILES ${SLT_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/slottar)
install(FILES ${PROJECT_BINARY_DIR}/slottar.pc DESTINATION ${SLT_PKGCONFIG_DIR})
install(DIRECTORY ${SLT_PAGES}/man1 ${SLT_PAGES}/man3 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(DIRECTORY ${SLT_PAGES}/html/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/api)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${SLT_PAGES}/slottar.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME slottar)
install(FILES ${SLT_PAGES}/slottar.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _slottar)
install(FILES ${SLT_PAGES}/slottar.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
