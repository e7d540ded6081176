# Included by ternConfig.cmake for the component redis.
if(NOT tern_SHARED)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(hiredis REQUIRED IMPORTED_TARGET hiredis)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/tern-redisTargets.cmake)
