// The ISO codes of Debian's package iso-codes, and their routes.
#pragma once

#include "catalogue.hpp"

#include <tern/tern.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace showcase {

struct Country {  // ISO 3166-1
  std::string alpha_2;
  std::string alpha_3;
  std::string numeric;
  std::string name;
  std::optional<std::string> official_name;
  std::optional<std::string> common_name;
  std::string flag;

  std::vector<std::string_view> codes() const { return {alpha_2, alpha_3, numeric}; }
  std::vector<std::string_view> names() const;
};

struct Subdivision {  // ISO 3166-2: provinces, states, districts
  std::string code;
  std::string country;
  std::string name;
  std::string type;
  std::optional<std::string> parent;

  std::vector<std::string_view> codes() const { return {code}; }
  std::vector<std::string_view> names() const { return {name}; }
};

enum class LanguageType : char {
  Living = 'L',
  Extinct = 'E',
  Ancient = 'A',
  Historical = 'H',
  Constructed = 'C',
  Special = 'S',
};

enum class LanguageScope : char { Individual = 'I', Macrolanguage = 'M', Special = 'S' };

struct Language {  // ISO 639-3
  std::string alpha_3;
  std::optional<std::string> alpha_2;
  std::string name;
  std::optional<std::string> inverted_name;
  LanguageType type = LanguageType::Living;
  LanguageScope scope = LanguageScope::Individual;

  std::vector<std::string_view> codes() const;
  std::vector<std::string_view> names() const;
};

struct Currency {  // ISO 4217
  std::string alpha_3;
  std::string numeric;
  std::string name;

  std::vector<std::string_view> codes() const { return {alpha_3, numeric}; }
  std::vector<std::string_view> names() const { return {name}; }
};

struct Script {  // ISO 15924
  std::string alpha_4;
  std::string numeric;
  std::string name;

  std::vector<std::string_view> codes() const { return {alpha_4, numeric}; }
  std::vector<std::string_view> names() const { return {name}; }
};

struct IsoCodes {
  Catalogue<Country> countries;
  Catalogue<Subdivision> subdivisions;
  Catalogue<Language> languages;
  Catalogue<Currency> currencies;
  Catalogue<Script> scripts;
};

// Throws std::runtime_error with instructions if `directory` does not have the files.
IsoCodes load_iso_codes(const std::string& directory);

void add_iso_routes(tern::App& app, IsoCodes codes);

}  // namespace showcase

// Names of enumerators that differ from the C++ names.
template <>
struct tern::EnumNames<showcase::LanguageType> {
  using Type = showcase::LanguageType;
  static constexpr tern::EnumName<Type> names[] = {
      {Type::Living, "living"},         {Type::Extinct, "extinct"},         {Type::Ancient, "ancient"},
      {Type::Historical, "historical"}, {Type::Constructed, "constructed"}, {Type::Special, "special"},
  };
};
template <>
struct tern::EnumNames<showcase::LanguageScope> {
  using Scope = showcase::LanguageScope;
  static constexpr tern::EnumName<Scope> names[] = {
      {Scope::Individual, "individual"},
      {Scope::Macrolanguage, "macrolanguage"},
      {Scope::Special, "special"},
  };
};
