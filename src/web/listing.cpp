#include "web/listing.hpp"

#include "web/conditional.hpp"
#include "web/html_escape.hpp"
#include "web/unicode.hpp"

#include <tern/base/number.hpp>
#include <tern/base/utf8.hpp>
#include <tern/http/response.hpp>
#include <tern/http/uri.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

namespace tern::web {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

constexpr std::string_view page_begin = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>)";
constexpr std::string_view page_style = R"(</title><style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  background: light-dark(#fff, #16181c); color: light-dark(#1c1e21, #e3e5e8); }
h1 { font-size: 1.25rem; font-weight: 600; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-weight: 500; color: light-dark(#5b6169, #9aa2ab); }
th, td { padding: .35rem .75rem; border-bottom: 1px solid light-dark(#e4e6e9, #2b2f36); }
td:first-child { overflow-wrap: anywhere; }
td + td, th + th { white-space: nowrap; text-align: right; font-variant-numeric: tabular-nums; }
tbody tr:hover { background: light-dark(#f4f6f8, #1f2329); }
a { color: light-dark(#0b57d0, #8ab4f8); text-decoration: none; }
a:hover { text-decoration: underline; }
</style></head><body><h1>)";
constexpr std::string_view table_begin =
    "</h1>\n<table><thead><tr><th>Name</th><th>Size</th><th>Modified (UTC)</th></tr></thead><tbody>\n";
constexpr std::string_view table_end = "</tbody></table>";
constexpr std::string_view page_end = "</body></html>\n";
constexpr std::string_view security_policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'";

// As text of HTML or of an attribute. Bytes that are not UTF-8, control characters and invisible ones become U+FFFD.
void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::string_view bytes = take_code_point(text);
    if (!is_shown(bytes)) {
      out += replacement;
      continue;
    }
    escape_html(out, bytes);
  }
}

// "1.5 MB": three digits at most, and a unit of 1024.
void append_size(std::string& out, std::uint64_t size) {
  constexpr std::string_view units[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  std::uint64_t tenths = size * 10;
  if (size >= 1024) {
    std::uint64_t rest = 0;
    for (; size >= 1024; size /= 1024, ++unit) rest = size % 1024;
    tenths = size * 10 + rest * 10 / 1024;
  }
  base::append_integer(out, tenths / 10);
  if (unit != 0 && tenths < 100) out.append(".").append(1, static_cast<char>('0' + tenths % 10));
  out.append(" ").append(units[unit]);
}

// "2026-11-23 20:17".
void append_time(std::string& out, std::int64_t unix_seconds) {
  using namespace std::chrono;
  const sys_seconds time{seconds{unix_seconds}};
  const sys_days day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  base::append_padded(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  for (const auto& [before, part] :
       {std::pair{'-', static_cast<unsigned>(date.month())}, std::pair{'-', static_cast<unsigned>(date.day())},
        std::pair{' ', static_cast<unsigned>(clock.hours().count())},
        std::pair{':', static_cast<unsigned>(clock.minutes().count())}}) {
    out += before;
    base::append_padded(out, part, 2);
  }
}

// A name that is not UTF-8 has no link: such a path is not served.
void append_row(std::string& out, const ListedFile& file) {
  out += "<tr><td>";
  const bool has_link = base::is_utf8(file.name);
  if (has_link) {
    out += "<a href=\"./";  // so that no name begins with a scheme
    append_percent_encoded(out, file.name);
    out += file.is_folder ? "/\">" : "\">";
  }
  out += "<bdi>";
  append_escaped(out, file.name);
  out += "</bdi>";
  if (file.is_folder) out += '/';
  if (has_link) out += "</a>";
  out += "</td><td>";
  if (!file.is_folder) append_size(out, file.size);
  out += "</td><td>";
  append_time(out, file.modified);
  out += "</td></tr>\n";
}

struct CloseFolder {
  void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};

// What the client would get under that name; unset if nothing.
std::optional<ListedFile> look_at(const Folder& root, int folder, const std::string& path, const char* name) {
  struct stat status{};
  if (::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) {
    return ListedFile{name, S_ISDIR(status.st_mode), static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec};
  }
  if (!S_ISLNK(status.st_mode)) return std::nullopt;
  const auto opened = root.open(path + name);
  if (!opened) return std::nullopt;
  return ListedFile{name, opened->is_folder, opened->status.size, opened->status.modified / 1'000'000'000};
}

std::vector<ListedFile> read_folder(const Folder& root, int folder, const std::string& path) {
  std::vector<ListedFile> files;
  const int descriptor = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseFolder> reader(descriptor < 0 ? nullptr : ::fdopendir(descriptor));
  if (reader == nullptr) return files;
  while (const dirent* entry = ::readdir(reader.get())) {
    if (files.size() > max_listed_files) break;
    if (!is_visible_path(entry->d_name)) continue;
    if (auto file = look_at(root, folder, path, entry->d_name)) files.push_back(std::move(*file));
  }
  return files;
}

}  // namespace

std::string render_listing(std::string_view path, std::vector<ListedFile> files) {
  const bool is_cut = files.size() > max_listed_files;
  if (is_cut) files.resize(max_listed_files);
  std::ranges::sort(files, [](const ListedFile& left, const ListedFile& right) {
    return left.is_folder != right.is_folder ? left.is_folder : left.name < right.name;
  });
  std::string shown = "/";
  append_escaped(shown, path);
  std::string page(page_begin);
  page.append(shown).append(page_style).append(shown).append(table_begin);
  if (!path.empty()) page += "<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n";
  for (const ListedFile& file : files) append_row(page, file);
  page += table_end;
  if (is_cut) {
    page += "<p>There are more files: only ";
    base::append_integer(page, max_listed_files);
    page += " are listed.</p>";
  }
  return page.append(page_end);
}

SharedResource make_listing(const Folder& root, const http::SharedFile& folder, const std::string& path) {
  auto resource = std::make_shared<Resource>();
  resource->content_type = media::html;
  resource->cache_control = "no-cache";
  resource->security_policy = security_policy;
  Variant& page = resource->variants.emplace_back();
  page.content = render_listing(path, read_folder(root, folder.descriptor(), path));
  page.size = page.content.size();
  page.etag = content_tag(page.content);
  return resource;
}

}  // namespace tern::web
