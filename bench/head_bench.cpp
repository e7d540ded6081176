// Reading request heads with the HTTP/1.1 core: the shortest one, one as ab sends it, and those of a browser, whose
// fields differ in length and order from one to the next, so that nothing can be learnt by heart.
#include "http1/connection.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace {

using tern::http1::Connection;
using tern::http1::Event;

using tern::http1::padding;

std::string text_of(std::mt19937& random, std::size_t least, std::size_t most) {
  static constexpr std::string_view characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/;=.-_";
  std::string text(least + random() % (most - least + 1), ' ');
  for (char& c : text) c = characters[random() % characters.size()];
  return text;
}

// About 740 bytes and 15 fields.
std::string browser_request(std::mt19937& random) {
  static constexpr std::string_view names[] = {
      "User-Agent",      "Accept",
      "Accept-Language", "Accept-Encoding",
      "Referer",         "Cookie",
      "Connection",      "Sec-Fetch-Dest",
      "Sec-Fetch-Mode",  "Sec-Fetch-Site",
      "Sec-Fetch-User",  "Cache-Control",
      "Priority",        "Upgrade-Insecure-Requests",
  };
  std::string text = "GET /" + text_of(random, 10, 60) + " HTTP/1.1\r\nHost: " + "www.example.org\r\n";
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

// Reads the requests in turn, each in one piece, and answers them.
void read(benchmark::State& state, const std::vector<std::string>& requests) {
  const tern::http1::Limits limits;
  Connection connection(limits);
  tern::RequestHead head;
  std::string out;
  std::vector<std::string> padded;
  for (const std::string& request : requests) padded.push_back(request + std::string(padding, '\0'));
  std::size_t at = 0;
  std::size_t bytes = 0;
  for (auto _ : state) {
    connection.receive(std::string_view(padded[at]).substr(0, requests[at].size()));
    if (connection.next(head) != Event::Request) state.SkipWithError("refused");
    benchmark::DoNotOptimize(head);
    connection.take_content();
    out.clear();
    connection.answer(out, {}, "");
    bytes += requests[at].size();
    at = at + 1 == requests.size() ? 0 : at + 1;
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

void shortest(benchmark::State& state) {
  read(state, {"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"});
}
BENCHMARK(shortest);

void ab(benchmark::State& state) {
  read(state, {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\nHost: 127.0.0.1:8080\r\nUser-Agent: ApacheBench/2.3\r\n"
               "Accept: */*\r\n\r\n"});
}
BENCHMARK(ab);

void browser(benchmark::State& state) {
  std::mt19937 random(1);
  std::vector<std::string> requests;
  for (int i = 0; i < 256; ++i) requests.push_back(browser_request(random));
  read(state, requests);
}
BENCHMARK(browser);

// What of the above is not reading: an answer without content.
void answering_alone(benchmark::State& state) {
  const tern::http1::Limits limits;
  Connection connection(limits);
  tern::RequestHead head;
  const std::string padded = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + std::string(padding, '\0');
  connection.receive(std::string_view(padded).substr(0, padded.size() - padding));
  connection.next(head);
  std::string out;
  for (auto _ : state) {
    Connection copy = connection;
    out.clear();
    copy.answer(out, {}, "");
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(answering_alone);

}  // namespace

BENCHMARK_MAIN();
