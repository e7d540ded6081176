# Included by ternConfig.cmake for the component sqlite.
if(NOT tern_SHARED)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET "sqlite3>=3.37")
endif()
include(${CMAKE_CURRENT_LIST_DIR}/tern-sql.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/tern-sqliteTargets.cmake)
