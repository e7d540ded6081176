# cmake -D FOLDER=… -D OUT=docs_page_text.cpp -P embed.cmake: the page with its style and scripts as one text, and the SHA-256
# of both.

# As read_stripped() of cmake/PageText.cmake, but strips more: the page has a bound of 60,000 bytes. No text of the scripts may
# have what is left out; the tests of the page would show it.
function(read_docs_page variable)
  set(all "")
  foreach(name ${ARGN})
    file(READ "${FOLDER}/${name}" content)
    string(REGEX REPLACE "\n[ ]+" "\n" content "\n${content}")
    string(REGEX REPLACE "\n(//|/\\*)[^\n]*" "" content "${content}")
    string(REGEX REPLACE "\n\n+" "\n" content "${content}")
    if(name MATCHES "css$")
      string(REGEX REPLACE "[ \n]*([{};,>])[ \n]*" "\\1" content "${content}")
      string(REPLACE ": " ":" content "${content}")
    else()
      string(REGEX REPLACE "  // [^\n]*" "" content "${content}")
      string(REGEX REPLACE "{ /\\*[^*]*\\*/ }" "{}" content "${content}")
      string(REGEX REPLACE " (=>|===|!==|&&|\\|\\||\\?\\?|\\?|:|=|<|<=|>|>=|\\+|\\+=) " "\\1" content "${content}")
      string(REGEX REPLACE "(if|for|while|catch) \\(" "\\1(" content "${content}")
      string(REGEX REPLACE "([({]) " "\\1" content "${content}")
      string(REGEX REPLACE " ([})])" "\\1" content "${content}")
      string(REPLACE ") {" "){" content "${content}")
      foreach(twice 1 2)
        string(REGEX REPLACE "([^(][])}`\"a-zA-Z0-9_]), ([^ ])" "\\1,\\2" content "${content}")
      endforeach()
      string(REGEX REPLACE "} (else|catch)" "}\\1" content "${content}")
      string(REGEX REPLACE "(try|else|catch|return|const) ([{[])" "\\1\\2" content "${content}")
      string(REGEX REPLACE "\\) ([a-z])" ")\\1" content "${content}")
      string(REPLACE "(), " "()," content "${content}")
      string(REGEX REPLACE " (-|\\*|%) " "\\1" content "${content}")
      string(REGEX REPLACE "([({},;?:&|>=]|\\[)\n" "\\1" content "${content}")
      string(REGEX REPLACE "([{,][a-zA-Z]+|[{,]\"[a-z-]+\"): " "\\1:" content "${content}")
    endif()
    string(APPEND all "${content}")
  endforeach()
  set(${variable} "${all}" PARENT_SCOPE)
endfunction()

read_docs_page(style page.css)
read_docs_page(script dom.js markdown.js contract.js schema.js example.js request.js authorize.js answer.js try.js page.js)
read_docs_page(swagger swagger_ui.js)
string(SHA256 style_hash "${style}")
string(SHA256 script_hash "${script}")
string(SHA256 swagger_hash "${swagger}")
file(READ "${FOLDER}/page.html" page)
string(REPLACE "/*style*/" "${style}" page "${page}")
string(REPLACE "/*script*/" "${script}" page "${page}")

file(WRITE "${OUT}" "// Made by embed.cmake from the files of docs_page; change those.
#include \"app/docs_page_text.hpp\"

namespace tern::app {

constinit const DocsPageText docs_page_text{
    R\"tern(${page})tern\",
    \"${style_hash}\",
    \"${script_hash}\",
    R\"tern(${swagger})tern\",
    \"${swagger_hash}\",
};

}  // namespace tern::app
")
