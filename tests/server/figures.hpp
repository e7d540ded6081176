// Records what a server reports of itself, for tests.
#pragma once

#include <tern/http/observer.hpp>

#include <chrono>
#include <map>
#include <numeric>
#include <string>
#include <thread>

namespace tern::testing {

class Figures final : public http::FigureSink {
public:
  explicit Figures(const http::ServerView& server) { server.report(*this); }

  // By name and the values of labels: "tern_refusals no_host". Those of all loops together; 0: none.
  double operator[](const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? -1 : found->second;
  }

  void counter(std::string_view name, std::string_view, double value, Labels labels) override {
    values_[key(name, labels)] += value;
  }
  void gauge(std::string_view name, std::string_view, double value, Labels labels) override {
    values_[key(name, labels)] += value;
  }
  void histogram(std::string_view name, std::string_view, std::span<const double>,
                 std::span<const std::uint64_t> counts, double sum, Labels) override {
    values_[std::string(name) + "_count"] += static_cast<double>(std::reduce(counts.begin(), counts.end()));
    values_[std::string(name) + "_sum"] += sum;
  }

private:
  static std::string key(std::string_view name, Labels labels) {
    std::string text(name);
    for (const http::FigureLabel& label : labels) text.append(" ").append(label.value);
    return text;
  }
  std::map<std::string, double> values_;
};

// Waits until the server reports this value; returns what it reports at the end.
inline double figure_that_becomes(const http::ServerView& server, const std::string& key, double value) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  double now = Figures(server)[key];
  while (now != value && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
    now = Figures(server)[key];
  }
  return now;
}

}  // namespace tern::testing
