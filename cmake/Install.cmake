# cmake --install: the library, its headers, a CMake package (find_package(tern)) and a pkg-config file. A component adds
# its own (tern_component).
include(CMakePackageConfigHelpers)

set(TERN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tern)

install(TARGETS tern EXPORT ternTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/tern DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp"
        REGEX "/(config|observe|postgres|redis|sql|sqlite|web)(\\.hpp)?$" EXCLUDE)  # components install their own
install(EXPORT ternTargets NAMESPACE tern:: DESTINATION ${TERN_CMAKE_DIR})

# The field of a pkg-config file for what a library needs. A program that links a shared library does not need the development packages of
# those, which pkg-config looks for even where they are private.
function(tern_pc_packages variable)
  list(JOIN ARGN " " packages)
  set(field "Requires: ${packages}")
  if(NOT ARGN)
    set(field "")
  elseif(BUILD_SHARED_LIBS)
    pkg_check_modules(needed REQUIRED QUIET ${ARGN})
    list(JOIN needed_LDFLAGS " " libraries)
    set(field "Libs.private: ${libraries}")
  endif()
  set(${variable} ${field} PARENT_SCOPE)
endfunction()

set(packages re2 fmt simdjson)
if(TERN_TLS)
  list(APPEND packages libssl libcrypto)
endif()
if(TERN_HTTP2)
  list(APPEND packages libnghttp2)
endif()
if(TERN_ZLIB)
  list(APPEND packages zlib)
endif()
tern_pc_packages(TERN_PC_PACKAGES ${packages})
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

# For tern_component. COMPONENTS are the pkg-config modules of those that its headers need, PACKAGES those that its library needs.
function(tern_install_component name)
  cmake_parse_arguments(ARG "" "" "COMPONENTS;PACKAGES" ${ARGN})
  install(TARGETS tern-${name} EXPORT tern-${name}Targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT tern-${name}Targets NAMESPACE tern:: DESTINATION ${TERN_CMAKE_DIR})
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/tern-${name}.cmake DESTINATION ${TERN_CMAKE_DIR})
  install(FILES ${PROJECT_SOURCE_DIR}/include/tern/${name}.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tern)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tern/${name} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tern)
  set(COMPONENT ${name})
  if(BUILD_SHARED_LIBS)
    list(JOIN ARG_COMPONENTS " " components)
    set(COMPONENT_REQUIRES "Requires: tern ${components}")
    tern_pc_packages(COMPONENT_PACKAGES ${ARG_PACKAGES})
  else()  # one field: pkg-config takes the last one
    set(COMPONENT_REQUIRES "")
    tern_pc_packages(COMPONENT_PACKAGES tern ${ARG_COMPONENTS} ${ARG_PACKAGES})
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/tern-component.pc.in ${PROJECT_BINARY_DIR}/tern-${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/tern-${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
