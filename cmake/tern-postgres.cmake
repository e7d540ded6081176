# Included by ternConfig.cmake for the component postgres.
find_package(PkgConfig REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
pkg_check_modules(libpq REQUIRED IMPORTED_TARGET "libpq>=14")
include(${CMAKE_CURRENT_LIST_DIR}/tern-sql.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/tern-postgresTargets.cmake)
