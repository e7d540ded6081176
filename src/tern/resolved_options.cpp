#include "tern/resolved_options.hpp"

#include "exchange/http2.hpp"
#include "server/machine.hpp"

#include <tern/app/setup_error.hpp>
#include <tern/json/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tern {
namespace {

constexpr std::uint32_t min_window = 65'535;  // of a connection (RFC 9113, section 6.9.2)
constexpr std::uint32_t max_window = (1U << 31U) - 1;
constexpr Milliseconds for_ever{Seconds(10L * 365 * 24 * 3600)};

// The maximum number of connections. Throws SetupError if there is no room for any.
std::size_t max_connections_of(const Options& options, unsigned loops) {
  const std::size_t listeners = 1 + options.listeners.size();
  const server::DescriptorBudget budget = server::descriptor_budget(loops, listeners * (options.handover ? 2 : 1));
  if (budget.limit <= budget.needed) {
    const std::string needed = std::to_string(budget.needed + 1);
    throw SetupError("the limit of open descriptors is " + std::to_string(budget.limit) + ", but " +
                     std::to_string(loops) + (loops == 1 ? " loop" : " loops") + ", " + std::to_string(listeners) +
                     (listeners == 1 ? " listener" : " listeners") + " and a reserve need at least " + needed +
                     ": raise it (ulimit -n " + needed + "), or set fewer threads");
  }
  const std::size_t max = options.limits.max_connections;
  return max != 0 ? max : budget.limit - budget.needed;
}

tls::Config config_of(const TlsOptions& options, bool http2) {
  if (options.client != ClientCertificates::None && options.client_ca.empty()) {
    throw SetupError("tls.client_ca is missing: it has the issuers of client certificates");
  }
  if (options.client == ClientCertificates::None && !options.client_ca.empty()) {
    throw SetupError("tls.client_ca is set, but tls.client does not ask for certificates");
  }
  tls::Config config;
  config.certificates.push_back({options.certificate, options.key, options.ocsp});
  config.certificates.insert(config.certificates.end(), options.certificates.begin(), options.certificates.end());
  config.client_ca = options.client_ca;
  config.client = options.client;
  if (http2 && exchange::has_http2()) config.protocols.insert(config.protocols.begin(), "h2");
  return config;
}

// Options and Listener have the same members for this.
template <class Place>
transport::ListenerConfig listening_of(const Place& place, const Options& options) {
  transport::ListenerConfig listening{
      .address = {.host = place.host, .port = place.port, .path = place.unix_path, .share_port = place.share_port}};
  if (place.share_port && !place.unix_path.empty())
    throw SetupError("share_port is set, but a Unix socket has no port");
  listening.proxied = place.proxy_protocol;
  if (place.proxy_protocol && options.proxies.trusted.empty()) {
    throw SetupError("proxy_protocol is set, but proxies.trusted is empty: who may say where clients are?");
  }
  const TlsOptions& tls = place.tls;
  if (!tls.certificate.empty()) {
    listening.tls = config_of(tls, options.http2.enabled);
  } else if (!tls.key.empty() || !tls.ocsp.empty() || !tls.certificates.empty() || !tls.client_ca.empty() ||
             tls.client != ClientCertificates::None) {
    throw SetupError("tls.certificate is missing");
  }
  return listening;
}

// Options differ if their JSON does.
template <class T>
void note_difference(std::vector<std::string>& names, std::string_view name, const T& running, const T& now) {
  if (json::to_string(running) != json::to_string(now)) names.emplace_back(name);
}

}  // namespace

exchange::Settings settings_of(const Options& options, unsigned loops) {
  exchange::Settings settings;
  settings.heads.request_line = options.limits.max_request_line_bytes;
  settings.heads.fields = options.limits.max_fields_bytes;
  settings.heads.field_count = options.limits.max_field_count;
  settings.http2.target = options.limits.max_request_line_bytes;
  settings.http2.fields = options.limits.max_fields_bytes;
  settings.http2.field_count = options.limits.max_field_count;
  settings.http2.streams = options.http2.max_concurrent_streams;
  settings.http2.stream_window = std::min(options.http2.stream_window_bytes, max_window);
  settings.http2.connection_window = std::clamp(options.http2.connection_window_bytes, min_window, max_window);
  settings.prior_knowledge = options.http2.enabled && options.http2.clear_text;
  settings.http2_only = settings.prior_knowledge && options.http2.only;
  settings.limits = options.limits.request;
  settings.head_timeout = options.timeouts.head;
  settings.idle_timeout = options.timeouts.idle;
  settings.drain_timeout = options.timeouts.drain.count() != 0 ? options.timeouts.drain : for_ever;
  settings.drain_delay = options.timeouts.drain_delay;
  settings.drain_idle = options.timeouts.drain_idle;
  settings.grace = options.timeouts.min_rate_grace;
  settings.min_data_rate = options.timeouts.min_bytes_per_second;
  settings.stall_timeout = options.timeouts.stall;
  settings.connections = max_connections_of(options, loops);
  const std::size_t max_buffered = options.limits.max_buffered_bytes;
  settings.buffered = max_buffered != 0 ? max_buffered : server::usable_memory() / 4;
  settings.pool_threads = options.pool.threads;
  settings.pool_queue = options.pool.max_queued_jobs;
  settings.pool_sheds_load = options.pool.sheds_load;
  if (options.pool.nice > 19) {
    throw SetupError("pool.nice is " + std::to_string(options.pool.nice) + ", but is from 0 to 19");
  }
  settings.pool_nice = options.pool.nice;
  settings.busy_poll = options.busy_poll_microseconds;
  settings.access = options.logging.access;
  settings.access_one_in = options.logging.access_one_in;
  settings.secrets = options.logging.secrets;
  settings.slow = options.logging.slow;
  settings.stall = options.logging.stall;
  settings.server_name = options.server_field;
  for (const std::string& proxy : options.proxies.trusted) {
    const auto network = net::Network::parse(proxy);
    if (!network) {
      throw SetupError("proxies.trusted: '" + proxy +
                       "' is neither an address, nor a network such as 10.0.0.0/8, nor 'unix'");
    }
    settings.trusted.push_back(*network);
  }
  settings.forwarded = options.proxies.forwarded;
  return settings;
}

std::vector<transport::ListenerConfig> listeners_of(const Options& options) {
  std::vector<transport::ListenerConfig> listeners;
  listeners.push_back(listening_of(options, options));
  for (const Listener& more : options.listeners) {
    const auto same = [&more](const transport::ListenerConfig& other) {
      return !more.name.empty() && other.name == more.name;
    };
    if (std::ranges::any_of(listeners, same)) throw SetupError("two listeners are named '" + more.name + "'");
    listeners.push_back(listening_of(more, options));
    listeners.back().name = more.name;
  }
  return listeners;
}

void keep_what_cannot_change(const exchange::Settings& running, exchange::Settings& settings) {
  settings.observer = running.observer;
  settings.pool_threads = running.pool_threads;
  settings.pool_queue = running.pool_queue;
  settings.pool_sheds_load = running.pool_sheds_load;
  settings.pool_nice = running.pool_nice;
  settings.busy_poll = running.busy_poll;
  settings.certificate_period = running.certificate_period;
  settings.access = running.access;  // requests in flight have begun with it
  settings.slow = running.slow;
  settings.secrets = running.secrets;
  settings.stall = running.stall;
  settings.prior_knowledge = running.prior_knowledge;
  settings.http2_only = running.http2_only;
}

std::vector<std::string> differences_that_need_a_restart(const Options& running, const Options& options) {
  std::vector<std::string> names;
  note_difference(names, "host", running.host, options.host);
  note_difference(names, "port", running.port, options.port);
  note_difference(names, "unix_path", running.unix_path, options.unix_path);
  note_difference(names, "tls", running.tls, options.tls);
  note_difference(names, "proxy_protocol", running.proxy_protocol, options.proxy_protocol);
  note_difference(names, "share_port", running.share_port, options.share_port);
  note_difference(names, "handover", running.handover, options.handover);
  note_difference(names, "listeners", running.listeners, options.listeners);
  note_difference(names, "threads", running.threads, options.threads);
  note_difference(names, "busy_poll_microseconds", running.busy_poll_microseconds, options.busy_poll_microseconds);
  note_difference(names, "http2.enabled", running.http2.enabled, options.http2.enabled);
  note_difference(names, "http2.clear_text", running.http2.clear_text, options.http2.clear_text);
  note_difference(names, "http2.only", running.http2.only, options.http2.only);
  note_difference(names, "pool", running.pool, options.pool);
  note_difference(names, "logging.access", running.logging.access, options.logging.access);
  note_difference(names, "logging.access_file", running.logging.access_file, options.logging.access_file);
  note_difference(names, "logging.error_file", running.logging.error_file, options.logging.error_file);
  note_difference(names, "logging.format", running.logging.format, options.logging.format);
  note_difference(names, "logging.target", running.logging.target, options.logging.target);
  note_difference(names, "logging.levels", running.logging.levels, options.logging.levels);
  note_difference(names, "logging.secrets", running.logging.secrets, options.logging.secrets);
  note_difference(names, "logging.max_repeats", running.logging.max_repeats, options.logging.max_repeats);
  note_difference(names, "logging.repeat_time", running.logging.repeat_time, options.logging.repeat_time);
  note_difference(names, "logging.slow", running.logging.slow, options.logging.slow);
  note_difference(names, "logging.stall", running.logging.stall, options.logging.stall);
  return names;
}

}  // namespace tern
