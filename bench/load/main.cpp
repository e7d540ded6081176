// A fast client: it knows the length of an answer and counts bytes. wrk, which parses every answer, is
// slower than the servers that it is to measure.
//
// Prints `begin` after warming up, `end` when the time is over, and then a line of JSON. The server's processor time
// between the two, divided by the requests answered between them, is the cost of a request.
//
// What keeps the connections busy, and --rate, are in src/load, which `tern bench` shares.
#include "client.hpp"
#include "options.hpp"

#include "load/engine.hpp"
#include "load/plain_channel.hpp"

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace {

using tern::load::Progress;

// One or several answers with status 200 and a length in bytes that is known.
class CountedAnswer {
public:
  CountedAnswer(std::size_t expected, bool closes) : expected_(expected), closes_(closes) {}

  Progress receive(std::string_view bytes) {
    constexpr std::string_view good = "HTTP/1.1 200";
    if (received_ == 0 && !bytes.starts_with(good.substr(0, bytes.size()))) return Progress::Broken;
    received_ += bytes.size();
    if (received_ > expected_) return Progress::Broken;
    return received_ == expected_ ? Progress::Complete : Progress::More;
  }
  Progress end() const { return Progress::Broken; }
  bool closes() const { return closes_; }
  void reset() { received_ = 0; }

private:
  std::size_t expected_;
  std::size_t received_ = 0;
  bool closes_;
};

void run(const bench::LoadOptions& options) {
  std::string batch;
  for (std::size_t i = 0; i < options.depth; ++i) batch += options.request;
  const auto connect = [&options] { return tern::load::PlainChannel(bench::connected(options.port)); };
  tern::load::Engine<tern::load::PlainChannel, CountedAnswer, decltype(connect)> engine(
      {.request = std::move(batch),
       .depth = options.depth,
       .connections = options.connections,
       .rate = static_cast<double>(options.rate),
       .spins = true},
      CountedAnswer(options.answer * options.depth, options.close), connect);
  engine.warm_up(options.warm_up);
  bench::print_line("begin");
  const double seconds = engine.measure(options.seconds);
  if (engine.answered() == 0 && engine.errors() > 0) throw std::runtime_error("no answer: " + engine.last_error());
  bench::print_line("end");
  tern::load::Latencies& latencies = engine.latencies();
  std::printf("{\"requests\": %zu, \"seconds\": %.6f, \"errors\": %zu, \"p50\": %.1f, \"p90\": %.1f, \"p99\": %.1f, ",
              engine.answered(), seconds, engine.errors(), latencies.percentile(0.5), latencies.percentile(0.9),
              latencies.percentile(0.99));
  std::printf("\"p99.9\": %.1f, \"max\": %.1f}\n", latencies.percentile(0.999), latencies.percentile(1));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::LoadOptions options = bench::load_options(argc, argv);
  bench::take_all_descriptors();
  try {
    run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench: %s\n", error.what());
    return 1;
  }
}
