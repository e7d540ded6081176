# Included by ternConfig.cmake for the component observe.
include(${CMAKE_CURRENT_LIST_DIR}/tern-observeTargets.cmake)
