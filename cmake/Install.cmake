# cmake --install: the library, its headers, a CMake package (find_package(tern)) and a pkg-config file.
include(CMakePackageConfigHelpers)

set(TERN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tern)

install(TARGETS tern EXPORT ternTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/tern DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT ternTargets NAMESPACE tern:: DESTINATION ${TERN_CMAKE_DIR})

set(TERN_PC_TLS "")
if(TERN_TLS)
  set(TERN_PC_TLS " libssl libcrypto")
endif()
set(TERN_PC_HTTP2 "")
if(TERN_HTTP2)
  set(TERN_PC_HTTP2 " libnghttp2")
endif()
set(TERN_PC_ZLIB "")
if(TERN_ZLIB)
  set(TERN_PC_ZLIB " zlib")
endif()
set(TERN_PC_REDIS "")
if(TERN_REDIS)
  set(TERN_PC_REDIS " hiredis")
endif()
configure_package_config_file(cmake/ternConfig.cmake.in ${PROJECT_BINARY_DIR}/ternConfig.cmake
                              INSTALL_DESTINATION ${TERN_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ternConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ternConfig.cmake ${PROJECT_BINARY_DIR}/ternConfigVersion.cmake
        DESTINATION ${TERN_CMAKE_DIR})

# Its paths are relative to the file, so that they hold in whatever prefix it is installed.
set(TERN_PC_DIR ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${TERN_PC_DIR} OUTPUT_VARIABLE TERN_PC_PREFIX)
set(TERN_PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(TERN_PC_INCLUDEDIR \${prefix}/${CMAKE_INSTALL_INCLUDEDIR})
endif()
configure_file(cmake/tern.pc.in ${PROJECT_BINARY_DIR}/tern.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tern.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
