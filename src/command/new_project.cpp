#include "command/new_project.hpp"

#include <tern/version.hpp>

#include <embedded/projects.hpp>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tern::command {
namespace {

namespace fs = std::filesystem;

// What differs in files that several templates have.
struct Parts {
  std::vector<std::string_view> folders;
  std::string_view components = "";
  std::string_view libraries = "tern::tern";
  std::string_view sources = "src/app.cpp";
  std::string_view embed = "";
  std::string_view packages = "";  // of Debian, which the tests need
  std::string_view database = "";  // its name in texts
  std::string_view setting = "";   // that says which database
};

Parts parts_of(std::string_view project_template, std::string_view database) {
  Parts parts;
  parts.folders = {"common", project_template};
  if (project_template == "web") {
    parts.components = " COMPONENTS web";
    parts.libraries = "tern::tern tern::web";
    parts.embed = "tern_embed(@NAME@-app FOLDER assets)\ntern_embed(@NAME@-app FOLDER templates)\n";
  }
  if (database.empty()) return parts;
  const bool is_sqlite = database == "sqlite";
  parts.folders = {"common", "database", database};
  parts.components = is_sqlite ? " COMPONENTS sqlite web observe config" : " COMPONENTS postgres web observe config";
  parts.libraries = is_sqlite ? "tern::sqlite tern::web tern::observe tern::config"
                              : "tern::postgres tern::web tern::observe tern::config";
  parts.sources = "src/app.cpp src/database.cpp";
  parts.embed = "tern_embed(@NAME@-app FOLDER migrations)\n";
  parts.packages = is_sqlite ? "" : " postgresql";
  parts.database = is_sqlite ? "SQLite" : "PostgreSQL";
  parts.setting = is_sqlite ? "database.path" : "database.url";
  return parts;
}

// As tern::config makes the names of variables: "my-shop" and "database.url" to "MY_SHOP_DATABASE_URL".
std::string variable_of(std::string_view name, std::string_view setting) {
  std::string variable = std::string(name) + "_" + std::string(setting);
  for (char& c : variable) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c == '-' || c == '.') c = '_';
  }
  return variable;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string filled(std::string_view content, std::string_view name, const Parts& parts) {
  std::string text(content);
  replace_all(text, "@COMPONENTS@", parts.components);
  replace_all(text, "@LIBRARIES@", parts.libraries);
  replace_all(text, "@SOURCES@", parts.sources);
  replace_all(text, "@EMBED@\n", parts.embed);
  replace_all(text, "@PACKAGES@", parts.packages);
  replace_all(text, "@DATABASE@", parts.database);
  replace_all(text, "@SETTING@", parts.setting);
  replace_all(text, "@VARIABLE@", variable_of(name, parts.setting));
  replace_all(text, "@TERN_VERSION@", std::to_string(TERN_VERSION_MAJOR) + "." + std::to_string(TERN_VERSION_MINOR));
  replace_all(text, "@NAME@", name);
  return text;
}

// Hidden files are not embedded, so they have another name there: "dot-github/workflows/ci.yml".
std::string path_in_project(std::string_view path, std::string_view name) {
  std::string written(path);
  if (written.starts_with("dot-")) written.replace(0, 4, ".");
  for (const char* unit : {"service", "socket"}) {
    if (written == std::string("packaging/") + unit) return "packaging/" + std::string(name) + "." + unit;
  }
  return written;
}

std::map<std::string, std::string> contents(std::string_view name, const Parts& parts) {
  std::map<std::string, std::string> files;
  for (const std::string_view folder : parts.folders) {
    const std::string prefix = std::string(folder) + "/";
    for (const web::EmbeddedFile& file : embedded::projects.files()) {
      if (!file.path.starts_with(prefix)) continue;
      files[path_in_project(file.path.substr(prefix.size()), name)] =
          filled(file.variants.front().content, name, parts);
    }
  }
  return files;
}

void write_file(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (!file) throw std::system_error(errno, std::generic_category(), "cannot write " + path.string());
}

}  // namespace

const std::vector<std::string>& project_templates() {
  static const std::vector<std::string> names = {"minimal", "rest", "web", "websocket"};
  return names;
}

std::string name_fault(std::string_view name) {
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto allowed = [&](char c) { return lower(c) || (c >= '0' && c <= '9') || c == '-'; };
  if (name.empty() || !lower(name.front())) return "a name begins with a lower-case letter";
  if (!std::ranges::all_of(name, allowed)) return "a name has lower-case letters, digits and hyphens only";
  if (name.back() == '-') return "a name does not end with a hyphen";
  if (name.size() > 60) return "a name has at most 60 characters";
  if (name == "test" || name == "all" || name == "install" || name == "clean") return "CMake has a target of that name";
  return {};
}

const std::vector<std::string>& project_databases() {
  static const std::vector<std::string> names = {"sqlite", "postgres"};
  return names;
}

std::vector<std::string> write_project(const fs::path& folder, std::string_view name, std::string_view project_template,
                                       std::string_view database) {
  if (const std::string fault = name_fault(name); !fault.empty()) throw std::runtime_error(fault);
  if (!std::ranges::count(project_templates(), project_template)) {
    throw std::runtime_error("there is no template " + std::string(project_template));
  }
  if (!database.empty()) {
    if (!std::ranges::count(project_databases(), database))
      throw std::runtime_error("there is no template for the database " + std::string(database));
    if (project_template != "rest") throw std::runtime_error("only the template rest has a database");
  }
  std::error_code error;
  if (fs::exists(folder, error) && !(fs::is_directory(folder, error) && fs::is_empty(folder, error))) {
    throw std::runtime_error(folder.string() + " exists, and is not an empty folder");
  }
  std::vector<std::string> written;
  for (const auto& [path, content] : contents(name, parts_of(project_template, database))) {
    write_file(folder / path, content);
    written.push_back(path);
  }
  return written;
}

}  // namespace tern::command
