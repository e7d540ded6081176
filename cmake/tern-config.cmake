# Included by ternConfig.cmake for the component config.
if(NOT tern_SHARED)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/tern-configTargets.cmake)
