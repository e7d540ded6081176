// The content codings at the default levels of Compress: bytes of content per second of CPU.
#include "web/decoder.hpp"
#include "web/encoder.hpp"
#include "web/zstd_contexts.hpp"

#include <tern/web/compress.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace tern::web {
namespace {

constexpr std::string_view words[] = {"the",   "river", "stone", "light", "under",   "seven", "house", "green",
                                      "water", "north", "quiet", "paper", "morning", "of",    "and",   "window"};

// The content has this size or a little more. The same in each run.
template <class F>
std::string filled(std::string_view begin, std::size_t size, F append_row) {
  std::mt19937 random(42);
  std::string text(begin);
  while (text.size() < size) append_row(text, random);
  return text;
}

std::string sentence(std::mt19937& random) {
  std::string text;
  for (unsigned i = 4 + random() % 9; i != 0; --i)
    text.append(words[random() % std::size(words)]).append(i == 1 ? "." : " ");
  return text;
}

std::string json(std::size_t size) {
  return filled("[", size, [](std::string& text, std::mt19937& random) {
    text += R"({"id":)" + std::to_string(random()) + R"(,"title":")" + sentence(random) + R"(","price":)" +
            std::to_string(random() % 10'000) + R"(,"in_stock":)" + (random() % 2 == 0 ? "true" : "false") + "},";
  });
}

std::string html(std::size_t size) {
  return filled("<!doctype html><title>Books</title><ul>", size, [](std::string& text, std::mt19937& random) {
    const std::string id = std::to_string(random() % 100'000);
    text += "<li class=\"book\"><a href=\"/books/" + id + "\">" + sentence(random) + "</a>\n<p>" + sentence(random) +
            sentence(random) + "</p></li>\n";
  });
}

int level_of(ContentCoding coding) {
  const CompressOptions defaults;
  if (coding == ContentCoding::Zstd) return defaults.zstd_level;
  return coding == ContentCoding::Brotli ? defaults.brotli_quality : defaults.gzip_level;
}

std::string encode(ContentCoding coding, const std::string& content, int level, ZstdContexts* contexts = nullptr) {
  std::string coded;
  coded.reserve(content.size() / 4);
  make_encoder(coding, {.level = level, .size = content.size(), .contexts = contexts})
      ->encode(content, Step::Finish, coded);
  return coded;
}

void report(benchmark::State& state, const std::string& content, const std::string& coded) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(content.size()));
  state.counters["percent"] = 100.0 * static_cast<double>(coded.size()) / static_cast<double>(content.size());
}

void encodes(benchmark::State& state, ContentCoding coding, std::string (*make)(std::size_t), int level) {
  const std::string content = make(static_cast<std::size_t>(state.range(0)));
  ZstdContexts contexts;
  for (auto _ : state) benchmark::DoNotOptimize(encode(coding, content, level, &contexts));
  report(state, content, encode(coding, content, level));
}

// Without reuse, for comparison.
void encodes_with_new_contexts(benchmark::State& state) {
  const std::string content = json(static_cast<std::size_t>(state.range(0)));
  const int level = level_of(ContentCoding::Zstd);
  for (auto _ : state) benchmark::DoNotOptimize(encode(ContentCoding::Zstd, content, level));
  report(state, content, encode(ContentCoding::Zstd, content, level));
}

void decodes(benchmark::State& state, ContentCoding coding, std::string_view name) {
  const std::string content = json(static_cast<std::size_t>(state.range(0)));
  const std::string coded = encode(coding, content, level_of(coding));
  std::string room(32 * 1024, '\0');
  for (auto _ : state) {
    const auto decoder = make_decoder({&name, 1}, content.size());
    std::string_view input = coded;
    while (decoder->decode(input, room.data(), room.size()).state == http::ContentDecoder::State::HasMore) {
    }
  }
  report(state, content, coded);
}

void register_all() {
  constexpr std::pair<ContentCoding, std::string_view> codings[] = {
      {ContentCoding::Gzip, "gzip"}, {ContentCoding::Brotli, "br"}, {ContentCoding::Zstd, "zstd"}};
  for (const auto& [coding, name] : codings) {
    for (const auto& [kind, make] : {std::pair{"json", &json}, std::pair{"html", &html}}) {
      const std::string title = std::string(name) + "/" + kind;
      benchmark::RegisterBenchmark(title.c_str(), encodes, coding, make, level_of(coding))
          ->Arg(4096)
          ->Arg(65'536)
          ->Arg(1'048'576);
    }
    const std::string title = std::string(name) + "/decode";
    benchmark::RegisterBenchmark(title.c_str(), decodes, coding, name)->Arg(65'536)->Arg(1'048'576);
  }
  benchmark::RegisterBenchmark("zstd-new/json", encodes_with_new_contexts)->Arg(4096)->Arg(65'536);
  for (const int quality : {3, 5, 6}) {
    const std::string title = "br-" + std::to_string(quality) + "/json";
    benchmark::RegisterBenchmark(title.c_str(), encodes, ContentCoding::Brotli, &json, quality)->Arg(65'536);
  }
}

}  // namespace
}  // namespace tern::web

int main(int count, char** arguments) {
  tern::web::register_all();
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
