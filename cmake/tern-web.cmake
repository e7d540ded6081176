# Included by ternConfig.cmake for the component web.
include(${CMAKE_CURRENT_LIST_DIR}/tern-webTargets.cmake)
