# The source is a release archive in the downloads of vcpkg, or beside this file: there is no place on the Internet to fetch
# it from.
find_file(archive NAMES tern-${VERSION}.tar.xz PATHS ${CURRENT_PORT_DIR} ${DOWNLOADS} NO_DEFAULT_PATH REQUIRED)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE ${archive})

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
  command TERN_COMMAND
  config TERN_CONFIG
  http2 TERN_HTTP2
  observe TERN_OBSERVE
  postgres TERN_POSTGRES
  redis TERN_REDIS
  sqlite TERN_SQLITE
  tls TERN_TLS
  web TERN_WEB
  zlib TERN_ZLIB
)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
  SOURCE_PATH ${SOURCE_PATH}
  OPTIONS ${features} -DTERN_BUILD_EXAMPLES=OFF -DTERN_BUILD_TESTS=OFF -DTERN_BUILD_BENCH=OFF
          -DTERN_STRICT=OFF -DTERN_UNITY=ON -DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tern)
vcpkg_fixup_pkgconfig()
if("command" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES tern AUTO_CLEAN)
endif()
if("web" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES tern-embed AUTO_CLEAN)
endif()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
file(INSTALL ${CMAKE_CURRENT_LIST_DIR}/usage DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
