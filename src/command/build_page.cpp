#include "command/build_page.hpp"

#include <tern/tern.hpp>

#include <algorithm>

namespace tern::command {
namespace {

constexpr std::size_t max_errors = 20;

constexpr std::string_view style =
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 "
    "1rem;color:#222;background:#fff}"
    "h1{font-size:1.4rem;border-left:.4rem solid #c62828;padding-left:.8rem}"
    "pre{font:13px/1.5 ui-monospace,monospace;background:#f4f4f4;padding:1rem;overflow:auto;border-radius:.4rem}"
    "pre.errors{background:#fdecea;color:#7f1d1d}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}pre{background:#262626}"
    "pre.errors{background:#3b1616;color:#ffc9c4}}";

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      default: html += c;
    }
  }
  return html;
}

// What GCC and Clang print below an error, "   17 |   add_routes(app)", and CMake, which indents.
bool is_below(std::string_view line, bool is_cmake) {
  if (is_cmake) return line.empty() || line.front() == ' ';
  const std::size_t bar = line.find_first_not_of(" 0123456789");
  return bar != std::string_view::npos && bar > 0 && line[bar] == '|';
}

// The lines of GCC, Clang, CMake and linkers that say what is wrong, and the lines of the source.
std::string errors_of(std::string_view output, std::string_view folder) {
  std::string errors;
  bool was_error = false;
  bool is_cmake = false;  // the last error was of CMake
  for (std::size_t count = 0; !output.empty();) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    const bool is_of_cmake = line.starts_with("CMake Error");
    const bool is_error = is_of_cmake || line.contains("error: ") || line.contains("undefined reference to");
    if (is_error && ++count > max_errors) break;
    was_error = is_error || (was_error && is_below(line, is_cmake));
    if (is_error) is_cmake = is_of_cmake;
    if (!was_error || line.empty()) continue;
    if (!folder.empty() && line.starts_with(folder)) line.remove_prefix(folder.size());
    errors.append(line).append("\n");
  }
  return errors;
}

bool wants_html(const Request& request) {
  return request.field("accept").value_or("").contains("text/html");
}

}  // namespace

std::string without_colours(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\033') {
      plain += text[i];
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '[') {  // up to its final byte
      for (i += 2; i < text.size() && (text[i] < 0x40 || text[i] > 0x7E);) ++i;
    } else {
      ++i;
    }
  }
  return plain;
}

std::string as_html(const BuildPage& page) {
  const std::string output = without_colours(page.output);
  const std::string errors = errors_of(output, page.folder);
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + escaped(page.title) +
                     "</title><meta name=\"viewport\" content=\"width=device-width\"><style>";
  html.append(style).append("</style></head><body>\n<h1>").append(escaped(page.title)).append("</h1>\n");
  if (!errors.empty()) html += "<pre class=\"errors\">" + escaped(errors) + "</pre>\n";
  if (!output.empty()) html += "<pre class=\"output\">" + escaped(output) + "</pre>\n";
  return html + "<p>This page is of <code>tern dev</code>, and reloads itself.</p>\n</body></html>\n";
}

void add_build_page(App& app, const BuildPage& page) {
  app.fallback(
      [html = as_html(page), text = page.title + "\n\n" + without_colours(page.output)](const Request& request) {
        Response response = wants_html(request) ? Response::html(html) : Response::text(text);
        response.status(Status::ServiceUnavailable).set("cache-control", "no-store").set("retry-after", "1");
        return response;
      });
}

}  // namespace tern::command
