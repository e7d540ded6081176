// Runs an engine as the options say, for run() and its parts.
#pragma once

#include "load/http2_engine.hpp"
#include "load/run.hpp"
#include "load/target.hpp"

namespace tern::load {

template <class Measured>
void measure(const LoadOptions& options, Measured& engine, LoadReport& report) {
  if (options.warm_up > 0) engine.warm_up(options.warm_up);
  report.classes = {};
  report.seconds = engine.measure(options.seconds);
  report.requests = engine.answered();
  report.errors = engine.errors();
  report.last_error = engine.last_error();
  report.unanswered = engine.unanswered();
  report.received_bytes = engine.received_bytes();
  Latencies& latencies = engine.latencies();
  report.mean = latencies.mean();
  report.p50 = latencies.percentile(0.5);
  report.p90 = latencies.percentile(0.9);
  report.p99 = latencies.percentile(0.99);
  report.p999 = latencies.percentile(0.999);
  report.max = latencies.percentile(1);
}

template <class Channel, class Connect>
LoadReport run_engine(const LoadOptions& options, const Target& target, Connect connect) {
  LoadReport report;
  if (options.http2) {
    Http2Engine<Channel, Connect> engine(
        {.connections = options.connections, .streams = options.streams, .rate = options.rate, .grace = options.grace},
        http2_request(options, target), report.classes, std::move(connect));
    measure(options, engine, report);
    return report;
  }
  Engine<Channel, HttpAnswer, Connect> engine({.request = request_text(options),
                                               .connections = options.connections,
                                               .rate = options.rate,
                                               .grace = options.grace},
                                              HttpAnswer(report.classes, options.method == "HEAD"), std::move(connect));
  measure(options, engine, report);
  return report;
}

// Throws std::runtime_error in a build without TLS.
LoadReport run_tls(const LoadOptions& options, const Target& target, const Address& address);

}  // namespace tern::load
