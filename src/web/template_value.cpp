#include <tern/web/template_value.hpp>

#include <tern/json/read.hpp>

namespace tern::web {

std::string_view plain_text(std::string& scratch) {
  if (!scratch.starts_with('"')) return scratch;
  if (scratch.contains('\\')) {
    if (auto text = json::read<std::string>(scratch)) scratch = std::move(*text);
    return scratch;
  }
  return std::string_view(scratch).substr(1, scratch.size() - 2);
}

}  // namespace tern::web
