// Parsing request heads with the HTTP/1.1 core and with http-parser: 40 bytes, the head of ab, and browser heads whose
// fields vary in length and order, so that branch prediction cannot learn them.
//
// Both get each head in one piece on a fresh connection and record the method, the target, and views of names and
// values. The core also validates by RFC 9112 and splits the target; http-parser does neither in full.
#include "http1/connection.hpp"

#include <benchmark/benchmark.h>
#include <http_parser.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using tern::http1::Connection;
using tern::http1::Event;
using tern::http1::padding;

struct Requests {
  std::vector<std::string> padded{};
  std::size_t fields = 0;  // of each

  void add(std::string text) { padded.push_back(std::move(text) + std::string(padding, '\0')); }
  std::string_view operator[](std::size_t index) const {
    return std::string_view(padded[index]).substr(0, padded[index].size() - padding);
  }
  std::size_t average() const {
    std::size_t bytes = 0;
    for (const std::string& text : padded) bytes += text.size() - padding;
    return bytes / padded.size();
  }
};

std::string text_of(std::mt19937& random, std::size_t least, std::size_t most) {
  static constexpr std::string_view characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/;=.-_";
  std::string text(least + random() % (most - least + 1), ' ');
  for (char& c : text) c = characters[random() % characters.size()];
  return text;
}

// About 740 bytes and 15 fields.
std::string browser_request(std::mt19937& random) {
  std::array<std::string_view, 14> names = {
      "User-Agent",      "Accept",
      "Accept-Language", "Accept-Encoding",
      "Referer",         "Cookie",
      "Connection",      "Sec-Fetch-Dest",
      "Sec-Fetch-Mode",  "Sec-Fetch-Site",
      "Sec-Fetch-User",  "Cache-Control",
      "Priority",        "Upgrade-Insecure-Requests",
  };
  std::ranges::shuffle(names, random);
  std::string text = "GET /" + text_of(random, 10, 60) + " HTTP/1.1\r\nHost: www.example.org\r\n";
  for (const std::string_view name : names) {
    text.append(name).append(": ");
    if (name == "Connection") {
      text += "keep-alive";
    } else if (name == "User-Agent" || name == "Cookie") {
      text += text_of(random, 60, 130);
    } else {
      text += text_of(random, 4, 40);
    }
    text += "\r\n";
  }
  return text + "\r\n";
}

const Requests& shortest() {
  static const Requests requests = [] {
    Requests made{.fields = 1};
    made.add("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return made;
  }();
  return requests;
}

const Requests& from_ab() {
  static const Requests requests = [] {
    Requests made{.fields = 4};
    made.add(
        "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\nHost: 127.0.0.1:8080\r\nUser-Agent: ApacheBench/2.3\r\n"
        "Accept: */*\r\n\r\n");
    return made;
  }();
  return requests;
}

const Requests& from_browsers() {
  static const Requests requests = [] {
    Requests made{.fields = 15};
    std::mt19937 random(1);
    for (int i = 0; i < 256; ++i) made.add(browser_request(random));
    return made;
  }();
  return requests;
}

// Calls parse(text) for the requests in turn; it gives the number of fields found.
template <class Parse>
void read(benchmark::State& state, const Requests& requests, Parse&& parse) {
  std::size_t at = 0;
  for (auto _ : state) {
    const std::string_view text = requests[at];
    if (parse(text) != requests.fields) {
      state.SkipWithError("refused, or fields are missing");
      break;
    }
    at = at + 1 == requests.padded.size() ? 0 : at + 1;
  }
  state.SetLabel(std::to_string(requests.average()) + " bytes");
}

void by_core(benchmark::State& state, const Requests& requests) {
  const tern::http1::Limits limits;
  tern::RequestHead head;
  read(state, requests, [&](std::string_view text) {
    Connection connection(limits);
    connection.receive(text);
    if (connection.next(head) != Event::Request) return std::size_t{0};
    benchmark::DoNotOptimize(head);
    return head.fields.size();
  });
}

// Stores the results of http-parser as the core does.
struct Told {
  std::string_view target;
  std::array<tern::Field, 64> fields;
  std::size_t count = 0;
  bool complete = false;
};

Told& told_of(http_parser* parser) {
  return *static_cast<Told*>(parser->data);
}

http_parser_settings settings() {
  http_parser_settings made;
  http_parser_settings_init(&made);
  made.on_url = [](http_parser* parser, const char* at, std::size_t size) {
    told_of(parser).target = {at, size};
    return 0;
  };
  made.on_header_field = [](http_parser* parser, const char* at, std::size_t size) {
    Told& told = told_of(parser);
    if (told.count == told.fields.size()) return 1;
    told.fields[told.count++].name = {at, size};
    return 0;
  };
  made.on_header_value = [](http_parser* parser, const char* at, std::size_t size) {
    Told& told = told_of(parser);
    told.fields[told.count - 1].value = {at, size};
    return 0;
  };
  made.on_message_complete = [](http_parser* parser) {
    told_of(parser).complete = true;
    return 0;
  };
  return made;
}

void by_http_parser(benchmark::State& state, const Requests& requests) {
  const http_parser_settings calls = settings();
  Told told;
  http_parser parser;
  parser.data = &told;
  read(state, requests, [&](std::string_view text) {
    told.count = 0;
    told.complete = false;
    http_parser_init(&parser, HTTP_REQUEST);
    if (http_parser_execute(&parser, &calls, text.data(), text.size()) != text.size()) return std::size_t{0};
    benchmark::DoNotOptimize(told);
    return told.complete ? told.count : 0;
  });
}

void core_shortest(benchmark::State& state) {
  by_core(state, shortest());
}
void core_ab(benchmark::State& state) {
  by_core(state, from_ab());
}
void core_browsers(benchmark::State& state) {
  by_core(state, from_browsers());
}
void http_parser_shortest(benchmark::State& state) {
  by_http_parser(state, shortest());
}
void http_parser_ab(benchmark::State& state) {
  by_http_parser(state, from_ab());
}
void http_parser_browsers(benchmark::State& state) {
  by_http_parser(state, from_browsers());
}
BENCHMARK(core_shortest)->Name("shortest request, Tern");
BENCHMARK(http_parser_shortest)->Name("shortest request, http-parser");
BENCHMARK(core_ab)->Name("request of ab, Tern");
BENCHMARK(http_parser_ab)->Name("request of ab, http-parser");
BENCHMARK(core_browsers)->Name("varied browser requests, Tern");
BENCHMARK(http_parser_browsers)->Name("varied browser requests, http-parser");

}  // namespace

BENCHMARK_MAIN();
