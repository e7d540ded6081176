# Included by ternConfig.cmake for the component sql, and by the components of databases.
include(${CMAKE_CURRENT_LIST_DIR}/tern-sqlTargets.cmake)
