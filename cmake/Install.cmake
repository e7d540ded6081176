# cmake --install: the library, its headers, a CMake package (find_package(tern)) and a pkg-config file. A component adds
# its own (tern_component).
include(CMakePackageConfigHelpers)

set(TERN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tern)

install(TARGETS tern EXPORT ternTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/tern DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp"
        REGEX "/(observe|postgres|redis|sql|sqlite|web)(\\.hpp)?$" EXCLUDE)  # components install their own
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

# For tern_component. PACKAGES are the pkg-config modules that its library needs.
function(tern_install_component name)
  cmake_parse_arguments(ARG "" "" "PACKAGES" ${ARGN})
  install(TARGETS tern-${name} EXPORT tern-${name}Targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT tern-${name}Targets NAMESPACE tern:: DESTINATION ${TERN_CMAKE_DIR})
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/tern-${name}.cmake DESTINATION ${TERN_CMAKE_DIR})
  install(FILES ${PROJECT_SOURCE_DIR}/include/tern/${name}.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tern)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tern/${name} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tern)
  set(COMPONENT ${name})
  list(JOIN ARG_PACKAGES " " packages)
  set(COMPONENT_PACKAGES " ${packages}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/tern-component.pc.in ${PROJECT_BINARY_DIR}/tern-${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/tern-${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
