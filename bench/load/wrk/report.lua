-- What every wrk script here requires: the result as a line of JSON. Latencies are in microseconds.
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '\nwrk-result {"requests": %d, "seconds": %.6f, "errors": %d, "p50": %.1f, "p90": %.1f, "p99": %.1f, "p99.9": %.1f, "max": %.1f}\n',
    summary.requests, summary.duration / 1e6,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(90), latency:percentile(99), latency:percentile(99.9), latency.max))
end
