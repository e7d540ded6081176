// Rendering Fortunes, the page of the TechEmpower benchmarks with twelve rows of which one has to be escaped: from
// structs by Tern, and by kainjow's Mustache of Debian, whose own values have to be filled for each page.
#include "web/template_renderer.hpp"
#include "web/template_store.hpp"

#include <benchmark/benchmark.h>

#include <kainjow/mustache.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct Fortune {
  int id;
  std::string message;
};
struct Fortunes {
  std::vector<Fortune> fortunes;
};

}  // namespace bench

namespace {

const bench::Fortunes page{{
    {11, "<script>alert(\"This should not be displayed in a browser alert box.\");</script>"},
    {4, "A bad random number generator: 1, 1, 1, 1, 1, 4.33e+67, 1, 1, 1"},
    {5, "A computer program does what you tell it to do, not what you want it to do."},
    {2, "A computer scientist is someone who fixes things that aren't broken."},
    {8, "A list is only as strong as its weakest link. — Donald Knuth"},
    {0, "Additional fortune added at request time."},
    {3, "After enough decimal places, it no longer matters."},
    {7, "Any program that runs right is obsolete."},
    {10, "Computers make very fast, very accurate mistakes."},
    {6, "Emacs is a nice operating system, but I prefer UNIX. — Tom Christaensen"},
    {9, "Feature: A bug with seniority."},
    {1, "fortune: No such file or directory"},
}};

constexpr std::string_view text =
    "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>"
    "{{#fortunes}}<tr><td>{{id}}</td><td>{{message}}</td></tr>{{/fortunes}}</table></body></html>";

std::string by_tern(const tern::web::TemplateSet& set) {
  tern::web::TemplateRenderer renderer(set.find("fortunes"), tern::web::value_of(page));
  std::string out;
  renderer.run(out, std::numeric_limits<std::size_t>::max());
  return out;
}

std::string by_kainjow(kainjow::mustache::mustache& compiled) {
  kainjow::mustache::data rows{kainjow::mustache::data::type::list};
  for (const bench::Fortune& fortune : page.fortunes) {
    kainjow::mustache::data row{kainjow::mustache::data::type::object};
    row.set("id", std::to_string(fortune.id));
    row.set("message", fortune.message);
    rows << row;
  }
  kainjow::mustache::data values{kainjow::mustache::data::type::object};
  values.set("fortunes", rows);
  return compiled.render(values);
}

void tern_fortunes(benchmark::State& state) {
  const tern::web::TemplateSet set({{"fortunes", "fortunes.mustache", std::string(text)}}, {});
  for (auto _ : state) benchmark::DoNotOptimize(by_tern(set));
  state.SetLabel(std::to_string(by_tern(set).size()) + " bytes");
}

void kainjow_fortunes(benchmark::State& state) {
  kainjow::mustache::mustache compiled{std::string(text)};
  for (auto _ : state) benchmark::DoNotOptimize(by_kainjow(compiled));
  state.SetLabel(std::to_string(by_kainjow(compiled).size()) + " bytes");
}

BENCHMARK(tern_fortunes)->Name("Fortunes, Tern");
BENCHMARK(kainjow_fortunes)->Name("Fortunes, kainjow");

}  // namespace

BENCHMARK_MAIN();
