// Reads the files of the package iso-codes. Each is an object with one member, the list.
#include "iso_codes.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace showcase {
namespace {

// The form in the file, if it differs from the served one.
struct SubdivisionEntry {
  std::string code;
  std::string name;
  std::string type;
  std::optional<std::string> parent;
};

struct LanguageEntry {
  std::string alpha_3;
  std::optional<std::string> alpha_2;
  std::string name;
  std::optional<std::string> inverted_name;
  char type;
  char scope;
};

std::string read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error("cannot read " + path + ": " + std::strerror(errno) +
                             "; install Debian's package iso-codes, or say where its JSON files are when Tern is "
                             "configured: cmake -D TERN_ISO_CODES_DIR=…");
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <class T>
std::vector<T> read_list(const std::string& directory, const std::string& standard) {
  const std::string path = directory + "/iso_" + standard + ".json";
  auto content = tern::json::read<std::map<std::string, std::vector<T>>>(read_file(path));
  if (!content) throw std::runtime_error(path + " is not what it should be: " + content.error().to_string());
  return std::move((*content)[standard]);
}

Catalogue<Subdivision> load_subdivisions(const std::string& directory) {
  std::vector<Subdivision> list;
  for (SubdivisionEntry& entry : read_list<SubdivisionEntry>(directory, "3166-2")) {
    const std::string country = entry.code.substr(0, entry.code.find('-'));
    if (entry.parent && !entry.parent->starts_with(country + '-')) entry.parent = country + '-' + *entry.parent;
    list.push_back({entry.code, country, entry.name, entry.type, entry.parent});
  }
  return Catalogue(std::move(list));
}

Catalogue<Language> load_languages(const std::string& directory) {
  std::vector<Language> list;
  for (LanguageEntry& entry : read_list<LanguageEntry>(directory, "639-3")) {
    list.push_back({entry.alpha_3, entry.alpha_2, entry.name, entry.inverted_name,
                    static_cast<LanguageType>(entry.type), static_cast<LanguageScope>(entry.scope)});
  }
  return Catalogue(std::move(list));
}

}  // namespace

std::vector<std::string_view> Country::names() const {
  std::vector<std::string_view> names{name};
  if (official_name) names.push_back(*official_name);
  if (common_name) names.push_back(*common_name);
  return names;
}

std::vector<std::string_view> Language::codes() const {
  if (!alpha_2) return {alpha_3};
  return {alpha_3, *alpha_2};
}

std::vector<std::string_view> Language::names() const {
  if (!inverted_name) return {name};
  return {name, *inverted_name};
}

IsoCodes load_iso_codes(const std::string& directory) {
  return {
      .countries = Catalogue(read_list<Country>(directory, "3166-1")),
      .subdivisions = load_subdivisions(directory),
      .languages = load_languages(directory),
      .currencies = Catalogue(read_list<Currency>(directory, "4217")),
      .scripts = Catalogue(read_list<Script>(directory, "15924")),
  };
}

}  // namespace showcase
