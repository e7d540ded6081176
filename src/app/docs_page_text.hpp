// The text of the documentation page, which docs_page/embed.cmake makes.
#pragma once

#include <string_view>

namespace tern::app {

struct DocsPageText {
  std::string_view page;           // with {{title}} and {{document}} where these belong
  std::string_view style_sha256;   // of the content of its <style>, in hexadecimal
  std::string_view script_sha256;  // of its <script>
  std::string_view swagger_start;  // the script of the page for Swagger UI
  std::string_view swagger_start_sha256;
};

extern const DocsPageText docs_page_text;

}  // namespace tern::app
