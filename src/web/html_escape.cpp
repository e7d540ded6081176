#include "web/html_escape.hpp"

namespace tern::web {

void escape_html(std::string& out, std::string_view text) {
  while (true) {
    const std::size_t plain = text.find_first_of("&<>\"'");
    out += text.substr(0, plain);
    if (plain == std::string_view::npos) return;
    switch (text[plain]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += "&#39;";
    }
    text.remove_prefix(plain + 1);
  }
}

}  // namespace tern::web
