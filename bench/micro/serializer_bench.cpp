// Writing response heads with the HTTP/1.1 core: a text of 13 bytes, with fields of the user, and chunked. Compared
// with the plain head by snprintf.
#include "http1/connection.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

using tern::http1::Connection;

constexpr std::string_view content = "Hello, World!";
constexpr std::string_view date = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr std::string_view plain_text =
    "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\n"
    "Hello, World!";

tern::http1::ResponseHead plain_head() {
  return {.content_type = "text/plain", .date = date};
}

// A connection with an unanswered request.
class Asked {
public:
  Asked() : text_("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") {
    text_.reserve(text_.size() + tern::http1::padding);
    connection_.receive(text_);
    tern::RequestHead head;
    connection_.next(head);
    connection_.take_content();
  }
  const Connection& connection() const { return connection_; }

private:
  std::string text_;
  tern::http1::Limits limits_;
  Connection connection_{limits_};
};

// Has write(connection, out) answer again and again, each time with a copy of the connection, which costs what
// the benchmark `copy` shows.
template <class Write>
void answer(benchmark::State& state, std::string_view expected, Write&& write) {
  const Asked asked;
  std::string out;
  for (auto _ : state) {
    Connection connection = asked.connection();
    out.clear();
    write(connection, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  if (out != expected) state.SkipWithError("wrong bytes");
  state.SetLabel(std::to_string(out.size()) + " bytes");
}

void copy(benchmark::State& state) {
  answer(state, "", [](Connection& connection, std::string&) { benchmark::DoNotOptimize(connection); });
}
BENCHMARK(copy)->Name("copying the connection (included below)");

void plain(benchmark::State& state) {
  const tern::http1::ResponseHead head = plain_head();
  answer(state, plain_text, [&](Connection& connection, std::string& out) { connection.answer(out, head, content); });
}
BENCHMARK(plain)->Name("response of 13 bytes");

void with_fields(benchmark::State& state) {
  tern::Fields fields;
  fields.set("Cache-Control", "no-store");
  fields.set("X-Request-Id", "0123456789abcdef");
  fields.set("ETag", "\"33a64df551425fcc\"");
  fields.add("Set-Cookie", "session=abcdefghijklmnop; HttpOnly");
  tern::http1::ResponseHead head = plain_head();
  head.fields = &fields;
  answer(state,
         "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\n"
         "Cache-Control: no-store\r\nX-Request-Id: 0123456789abcdef\r\nETag: \"33a64df551425fcc\"\r\n"
         "Set-Cookie: session=abcdefghijklmnop; HttpOnly\r\nContent-Length: 13\r\n\r\nHello, World!",
         [&](Connection& connection, std::string& out) { connection.answer(out, head, content); });
}
BENCHMARK(with_fields)->Name("with four fields of the handler");

void chunked(benchmark::State& state) {
  tern::http1::ResponseHead head = plain_head();
  head.content_length.reset();
  answer(state,
         "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\n"
         "Transfer-Encoding: chunked\r\n\r\nd\r\nHello, World!\r\n0\r\n\r\n",
         [&](Connection& connection, std::string& out) {
           connection.respond(out, head);
           connection.write(out, content);
           connection.finish(out);
         });
}
BENCHMARK(chunked)->Name("chunked");

void by_snprintf(benchmark::State& state) {
  const std::string type = "text/plain";
  answer(state, plain_text, [&](Connection&, std::string& out) {
    char text[256];
    const int size = std::snprintf(text, sizeof text,
                                   "HTTP/1.1 %d %s\r\nDate: %.*s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n",
                                   200, "OK", static_cast<int>(date.size()), date.data(), type.c_str(), content.size());
    out.append(text, static_cast<std::size_t>(size)).append(content);
  });
}
BENCHMARK(by_snprintf)->Name("response of 13 bytes by snprintf");

}  // namespace

BENCHMARK_MAIN();
