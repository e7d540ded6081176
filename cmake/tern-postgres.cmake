# Included by ternConfig.cmake for the component postgres.
if(NOT tern_SHARED)
  find_package(PkgConfig REQUIRED)
  find_dependency(OpenSSL 3.0)
  pkg_check_modules(libpq REQUIRED IMPORTED_TARGET "libpq>=14")
endif()
include(${CMAKE_CURRENT_LIST_DIR}/tern-sql.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/tern-postgresTargets.cmake)
