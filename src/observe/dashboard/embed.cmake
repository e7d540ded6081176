# cmake -D FOLDER=… -D OUT=dashboard_text.cpp -P embed.cmake: the page with its style and scripts as one text, and the SHA-256
# of both.
include("${CMAKE_CURRENT_LIST_DIR}/../../../cmake/PageText.cmake")

read_stripped(style page.css)
read_stripped(script ../../app/docs_page/dom.js page.js)
string(SHA256 style_hash "${style}")
string(SHA256 script_hash "${script}")
file(READ "${FOLDER}/page.html" page)
string(REPLACE "/*style*/" "${style}" page "${page}")
string(REPLACE "/*script*/" "${script}" page "${page}")

# A literal has at most 64 KiB in some compilers: two are joined.
string(LENGTH "${page}" length)
math(EXPR half "${length} / 2")
string(SUBSTRING "${page}" 0 ${half} first)
string(SUBSTRING "${page}" ${half} -1 second)
file(WRITE "${OUT}" "// Made by embed.cmake from the files of dashboard; change those.
#include \"observe/dashboard_text.hpp\"

namespace tern::observe {

constinit const DashboardText dashboard_text{
    R\"tern(${first})tern\"
    R\"tern(${second})tern\",
    \"${style_hash}\",
    \"${script_hash}\",
};

}  // namespace tern::observe
")
