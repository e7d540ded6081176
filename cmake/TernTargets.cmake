# Helpers that every room's CMakeLists.txt uses.

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(TERN_CCACHE ccache)
if(TERN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TERN_CCACHE})
endif()

if(TERN_SANITIZE)
  add_compile_options(-fsanitize=${TERN_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TERN_SANITIZE})
  if(TERN_SANITIZE MATCHES undefined)
    # The vptr check needs descriptors of its own, and aborts in the tests that take them all.
    add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=vptr)
  endif()
endif()

set(TERN_EXPORTED_ROOMS base coro json http app openapi tern)

# Warnings for our own code only; users of the installed library never see these flags.
function(tern_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)  # GCC bug 105651: wrong for "text" + std::string
  endif()
  if(TERN_STRICT)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# Compiles the sources of a target <count> at a time, or those of one UNITY_GROUP, where TERN_UNITY is on: no name in two
# of them may stand for two things.
function(tern_unity target count)
  if(TERN_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # which takes what is included for a header
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  endif()
endfunction()

# tern_room(<room> SOURCES a.cpp … TESTS a_test.cpp …): a room adds its sources to the library and, where tests are
# built, one test program of its own that may also look at the library's private headers.
#
# A shared library exports the rooms that have public headers. What the others define is hidden: programs cannot come to depend on it,
# and a change there changes no binary interface.
function(tern_room room)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;TEST_LIBRARIES;TEST_LABELS" ${ARGN})
  target_sources(tern PRIVATE ${ARG_SOURCES})
  if(BUILD_SHARED_LIBS AND NOT room IN_LIST TERN_EXPORTED_ROOMS)  # CMake leaves such sources out of unity builds
    foreach(source ${ARG_SOURCES})
      set_property(SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/${source} TARGET_DIRECTORY tern APPEND PROPERTY COMPILE_OPTIONS -fvisibility=hidden)
    endforeach()
  endif()
  set(count 0)
  foreach(source ${ARG_SOURCES})  # eight of one room as one, where TERN_UNITY is on
    math(EXPR group "${count} / 8")
    math(EXPR count "${count} + 1")
    set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/${source} TARGET_DIRECTORY tern PROPERTIES UNITY_GROUP ${room}_${group})
  endforeach()
  if(TERN_BUILD_TESTS AND ARG_TESTS)
    tern_test(${room}_test SOURCES ${ARG_TESTS} LIBRARIES ${ARG_TEST_LIBRARIES} LABELS ${ARG_TEST_LABELS})
  endif()
endfunction()

# tern_component(<name> SOURCES … LIBRARIES … PACKAGES … COMPONENTS … TESTS …): an add-on beside the core: a library that users link as
# tern::<name>, with the header <tern/name.hpp>, installed with what find_package(tern COMPONENTS name) and
# pkg-config tern-name need. PACKAGES are the pkg-config modules of LIBRARIES; COMPONENTS are others that it builds on, which
# cmake/tern-name.cmake includes.
function(tern_component name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;PACKAGES;COMPONENTS;TESTS;TEST_LABELS" ${ARGN})
  set(target tern-${name})
  add_library(${target} ${ARG_SOURCES})
  add_library(tern::${name} ALIAS ${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM ARG_COMPONENTS PREPEND tern-)
  target_link_libraries(${target} PUBLIC tern ${ARG_COMPONENTS} PRIVATE ${ARG_LIBRARIES})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
                                             VERSION ${PROJECT_VERSION} SOVERSION ${TERN_SOVERSION})
  tern_warnings(${target})
  tern_unity(${target} 8)
  tern_archive(${target})
  tern_install_component(${name} COMPONENTS ${ARG_COMPONENTS} PACKAGES ${ARG_PACKAGES})
  if(TERN_BUILD_TESTS)
    tern_test(${name}_test SOURCES ${ARG_TESTS} LIBRARIES tern::${name} LABELS ${ARG_TEST_LABELS})
  endif()
endfunction()

# tern_archive(<library>): with TERN_ARCHIVES, the static library of what a shared one is made of, beside it.
function(tern_archive library)
  if(NOT TERN_ARCHIVES)
    return()
  endif()
  add_library(${library}-archive STATIC $<TARGET_OBJECTS:${library}>)
  set_target_properties(${library}-archive PROPERTIES OUTPUT_NAME ${library} LINKER_LANGUAGE CXX)
  install(TARGETS ${library}-archive ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# A release build tests the library as users compile it. The tests themselves are optimised less: at -O3 GCC 12 takes
# "text" + std::string for an overflow (bug 105651), in one test after another.
function(tern_test_optimisation target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# tern_test(<name> SOURCES … LIBRARIES …): a GoogleTest program, registered with ctest test by test.
function(tern_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;DEFINITIONS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE tern::tern ${ARG_LIBRARIES} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  tern_unity(${name} 5)
  tern_test_optimisation(${name})
  if(TARGET test_prefix)
    target_precompile_headers(${name} REUSE_FROM test_prefix)
  endif()
  tern_warnings(${name})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 120 LABELS "${ARG_LABELS}")
endfunction()

# tern_program(<name> SOURCES …): an example, the showcase or a benchmark server.
function(tern_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE tern::tern ${ARG_LIBRARIES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  tern_warnings(${name})
endfunction()
