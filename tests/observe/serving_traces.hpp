// For tests: an app with traces, and an exporter that keeps them.
#pragma once

#include "tern/running_app.hpp"

#include <tern/observe.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tern {

// Keeps the spans that it gets; fails on demand.
class Recorder final : public SpanExporter {
public:
  struct Spans {
    std::mutex mutex;
    std::vector<FinishedSpan> all;
    std::atomic<bool> fails = false;
    std::atomic<bool> blocks = false;
    std::atomic<bool> throws_a_number = false;
  };
  explicit Recorder(Spans& spans) : spans_(spans) {}
  void export_spans(std::span<const FinishedSpan> spans) override {
    while (spans_.blocks) std::this_thread::yield();
    if (spans_.fails) throw std::runtime_error("no collector");
    if (spans_.throws_a_number.exchange(false)) throw 1;
    const std::lock_guard lock(spans_.mutex);
    spans_.all.insert(spans_.all.end(), spans.begin(), spans.end());
  }

private:
  Spans& spans_;
};

class ServingTraces : public RunningAppTest {
protected:
  ~ServingTraces() override { app.stop(); }

  void start(double ratio, Options options = quiet()) {
    TracingOptions tracing{.ratio = ratio, .slow = Milliseconds(200)};
    tracing.exporter = base::Box<SpanExporter>(new Recorder(exported));
    tracing.max_queued = max_queued;
    app.trace(std::move(tracing));
    app.admin({.port = 0});
    app.start(options);
  }
  std::string ask(const std::string& path, const std::string& fields = {}) { return ask(app.port(), path, fields); }
  std::string ask(std::uint16_t port, const std::string& path, const std::string& fields) {
    net::Peer peer = connect(port);
    peer.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + fields + "\r\n");
    return peer.receive_all();
  }
  // Everything that was exported; ends the server, which exports the rest.
  std::vector<FinishedSpan>& spans() {
    app.stop();
    return exported.all;
  }
  static SpanValue attribute(const FinishedSpan& span, const std::string& key) {
    for (const auto& [name, value] : span.attributes) {
      if (name == key) return value;
    }
    return std::string("none");
  }
  static std::string hex(std::span<const std::uint8_t> bytes) {
    std::string text;
    for (const std::uint8_t byte : bytes) {
      text += "0123456789abcdef"[byte >> 4U];
      text += "0123456789abcdef"[byte & 15U];
    }
    return text;
  }

  std::size_t max_queued = 1000;
  Recorder::Spans exported;
};

}  // namespace tern
