# tern_embed(<target> FOLDER <folder> [NAME <name>]): puts the files of a folder, and compressed siblings of them, into the
# target, which must be of the same directory. The target gets the header <embedded/name.hpp>, which declares
# embedded::name, a tern::EmbeddedFolder; the name is that of the folder unless it is given. Files that change, appear or
# disappear are embedded by the next build. Hidden files are not embedded.
set(TERN_EMBED_TOOL "" CACHE FILEPATH "tern-embed of the machine that builds, for cross compilation; empty: that of this build")
mark_as_advanced(TERN_EMBED_TOOL)

function(tern_embed target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "FOLDER;NAME" "")
  if(NOT ARG_FOLDER OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tern_embed: expected tern_embed(<target> FOLDER <folder> [NAME <name>])")
  endif()
  get_target_property(directory ${target} SOURCE_DIR)
  if(NOT directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "tern_embed: call it in the directory of the target ${target}, ${directory}")
  endif()
  cmake_path(ABSOLUTE_PATH ARG_FOLDER NORMALIZE OUTPUT_VARIABLE folder)
  if(NOT IS_DIRECTORY ${folder})
    message(FATAL_ERROR "tern_embed: there is no folder ${folder}")
  endif()
  string(REGEX REPLACE "/$" "" folder "${folder}")
  if(NOT ARG_NAME)
    cmake_path(GET folder FILENAME ARG_NAME)
  endif()
  if(NOT ARG_NAME MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
    message(FATAL_ERROR "tern_embed: '${ARG_NAME}' cannot name a variable: add NAME <name>")
  endif()

  set(output ${CMAKE_CURRENT_BINARY_DIR}/tern_embed/${target})
  set(source ${output}/${ARG_NAME}.cpp)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*)
  string(REPLACE ";" "\n" list "${files}")
  file(CONFIGURE OUTPUT ${output}/${ARG_NAME}.files CONTENT "${list}\n")  # so that a removed file is noticed
  set(tool tern::embed)
  if(TERN_EMBED_TOOL)
    set(tool ${TERN_EMBED_TOOL})
  endif()
  add_custom_command(OUTPUT ${source}
                     BYPRODUCTS ${output}/${ARG_NAME}.bin ${output}/embedded/${ARG_NAME}.hpp
                     COMMAND ${tool} ${folder} ${ARG_NAME} ${output}
                     DEPENDS ${files} ${output}/${ARG_NAME}.files ${tool}
                     COMMENT "Embedding ${ARG_NAME}" VERBATIM)
  # On its own, and without link-time optimisation, which would lose what the assembler defines. The source changes
  # whenever the contents do.
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON
                                                   OBJECT_DEPENDS ${output}/${ARG_NAME}.bin COMPILE_OPTIONS -fno-lto)
  target_sources(${target} PRIVATE ${source})
  target_include_directories(${target} PRIVATE ${output})
  target_link_libraries(${target} PRIVATE tern::web)
endfunction()
