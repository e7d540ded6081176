#include "iso_codes.hpp"

#include <utility>

namespace showcase {
namespace {

using Codes = tern::State<IsoCodes>;
using SearchQuery = tern::Query<Search>;

struct SubdivisionFilter {
  std::optional<std::string> country;
  std::optional<std::string> type;
};

struct LanguageFilter {
  std::optional<LanguageType> type;
  std::optional<LanguageScope> scope;
};

template <class T>
const T& find_or_404(const Catalogue<T>& catalogue, const char* kind, std::string_view code) {
  if (const T* found = catalogue.find(code)) return *found;
  throw tern::HttpError(tern::Status::NotFound,
                        std::string("there is no ") + kind + " with the code '" + std::string(code) + "'");
}

// --- Countries and what they consist of -----------------------------------------------------------------------------

Page<Ref<Country>> list_countries(Codes codes, Window window, SearchQuery search) {
  return codes->countries.page(window, *search);
}

const Country& one_country(Codes codes, std::string_view code) {
  return find_or_404(codes->countries, "country", code);
}

Page<Ref<Subdivision>> subdivisions_of(Codes codes, std::string_view code, Window window, SearchQuery search) {
  const Country& country = one_country(codes, code);
  return codes->subdivisions.page(window, *search,
                                  [&country](const Subdivision& one) { return one.country == country.alpha_2; });
}

Page<Ref<Subdivision>> list_subdivisions(Codes codes, Window window, SearchQuery search,
                                         tern::Query<SubdivisionFilter> filter) {
  const std::string code = filter->country.value_or("");
  const Country* country = codes->countries.find(code);
  if (country == nullptr && !code.empty()) {
    tern::Problem problem{tern::Status::UnprocessableContent, "some parameters are wrong", {}, {}};
    problem.errors.push_back({"country", "there is no country with the code '" + code + "'"});
    throw tern::HttpError(std::move(problem));
  }
  const std::string type = fold(filter->type.value_or(""));
  return codes->subdivisions.page(window, *search, [country, &type](const Subdivision& one) {
    return (country == nullptr || one.country == country->alpha_2) && (type.empty() || fold(one.type) == type);
  });
}

const Subdivision& one_subdivision(Codes codes, std::string_view code) {
  return find_or_404(codes->subdivisions, "subdivision", code);
}

// --- Languages, currencies, scripts ---------------------------------------------------------------------------------

Page<Ref<Language>> list_languages(Codes codes, Window window, SearchQuery search, tern::Query<LanguageFilter> filter) {
  return codes->languages.page(window, *search, [&filter](const Language& one) {
    return one.type == filter->type.value_or(one.type) && one.scope == filter->scope.value_or(one.scope);
  });
}

const Language& one_language(Codes codes, std::string_view code) {
  return find_or_404(codes->languages, "language", code);
}

Page<Ref<Currency>> list_currencies(Codes codes, Window window, SearchQuery search) {
  return codes->currencies.page(window, *search);
}

const Currency& one_currency(Codes codes, std::string_view code) {
  return find_or_404(codes->currencies, "currency", code);
}

Page<Ref<Script>> list_scripts(Codes codes, Window window, SearchQuery search) {
  return codes->scripts.page(window, *search);
}

const Script& one_script(Codes codes, std::string_view code) {
  return find_or_404(codes->scripts, "script", code);
}

}  // namespace

void add_iso_routes(tern::App& app, IsoCodes codes) {
  app.state(std::move(codes));
  const auto list = [&app](const char* path, auto handler, const char* name, const char* tag) {
    app.get(tern::runtime(path), handler)
        .name(name)
        .tags({tag})
        .description("Those whose code or name contains the text `q`, a page at a time.");
  };
  // Their handlers throw the 404, which no type shows.
  const auto one = [&app](const char* path, auto handler, const char* name, const char* tag) {
    app.get(tern::runtime(path), handler)
        .name(name)
        .tags({tag})
        .description("Found by its code, in capitals or small letters.")
        .problem(tern::Status::NotFound, "There is none");
  };
  list("/countries", list_countries, "countries", "Countries");
  one("/countries/{alpha_2}", one_country, "a country", "Countries");
  one("/countries/{alpha_2}/subdivisions", subdivisions_of, "the subdivisions of a country", "Countries");
  list("/subdivisions", list_subdivisions, "subdivisions", "Countries");
  one("/subdivisions/{code}", one_subdivision, "a subdivision", "Countries");
  list("/languages", list_languages, "languages", "Languages");
  one("/languages/{code}", one_language, "a language", "Languages");
  list("/currencies", list_currencies, "currencies", "Currencies");
  one("/currencies/{code}", one_currency, "a currency", "Currencies");
  list("/scripts", list_scripts, "scripts", "Scripts");
  one("/scripts/{code}", one_script, "a script", "Scripts");
}

}  // namespace showcase
