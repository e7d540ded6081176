# Included by ternConfig.cmake for the component web.
find_package(PkgConfig REQUIRED)
find_dependency(OpenSSL 3.0)
find_dependency(ZLIB)
pkg_check_modules(brotlienc REQUIRED IMPORTED_TARGET libbrotlienc)
pkg_check_modules(brotlidec REQUIRED IMPORTED_TARGET libbrotlidec)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
include(${CMAKE_CURRENT_LIST_DIR}/tern-webTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/TernEmbed.cmake)
