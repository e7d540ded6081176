# cmake -D FOLDER=… -D OUT=docs_page_text.cpp -P embed.cmake: the page with its style and scripts as one text, and the SHA-256
# of both.

include("${CMAKE_CURRENT_LIST_DIR}/../../../cmake/PageText.cmake")

read_stripped(style page.css)
read_stripped(script MORE dom.js markdown.js contract.js schema.js example.js request.js authorize.js answer.js try.js page.js)
read_stripped(swagger MORE swagger_ui.js)
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
