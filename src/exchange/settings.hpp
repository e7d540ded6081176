// State shared by all loops of one server: settings, replaced as a whole while it runs, and the thread-safe parts: a
// few counters, and publications to WebSockets.
#pragma once

#include "exchange/data_rate.hpp"
#include "exchange/memory_budget.hpp"
#include "http1/limits.hpp"
#include "http2/limits.hpp"
#include "logging/access_log.hpp"
#include "net/network.hpp"
#include "proxy/forwarded.hpp"
#include "websockets/socket_bus.hpp"

#include <tern/base/duration.hpp>
#include <tern/http/exchange.hpp>
#include <tern/http/forwarded_by.hpp>
#include <tern/http/log_options.hpp>
#include <tern/http/observer.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tern::logging {
class Log;
}

namespace tern::exchange {

struct Settings {
  http1::Limits heads = {};
  http2::Limits http2 = {.extended_connect = true};
  bool prior_knowledge = true;              // HTTP/2 without TLS, by its preface
  bool http2_only = false;                  // without TLS
  Limits limits = {};                       // of each request, unless its route changes them
  Milliseconds head_timeout = Seconds(10);  // zero: none; also for the others
  Milliseconds idle_timeout = Seconds(60);
  Milliseconds drain_timeout = Seconds(30);
  Milliseconds drain_delay = Milliseconds(0);   // between retire() and the drain
  Milliseconds drain_idle = Milliseconds(500);  // for a request in transit to an idle connection, during a drain
  Milliseconds grace = Seconds(5);              // before the minimum rate applies
  std::size_t min_data_rate = 240;              // bytes per second, in both directions
  Milliseconds stall_timeout = Seconds(60);     // of event streams, instead of the minimum rate
  std::size_t connections = 1024;               // maximum
  std::size_t buffered = 1024 * 1024 * 1024;    // bytes of all contents held, as counted by MemoryBudget
  unsigned pool_threads = 0;                    // 0: one for each processor
  std::size_t pool_queue = 1024;                // jobs of each priority
  bool pool_sheds_load = false;
  unsigned pool_nice = 10;
  Milliseconds certificate_period = Seconds(1);  // between checks of the certificate files
  unsigned busy_poll = 0;                        // microseconds, as Loop::set_busy_poll()
  AccessLog access = AccessLog::Off;
  unsigned access_one_in = 1;              // LogOptions::access_one_in
  std::vector<std::string> secrets = {};   // LogOptions::secrets
  Milliseconds slow = Milliseconds(0);     // LogOptions::slow
  Milliseconds stall = Milliseconds(0);    // LogOptions::stall
  std::string server_name = {};            // the Server field; empty: none
  http::Observer* observer = nullptr;      // null: none
  std::vector<net::Network> trusted = {};  // proxies whose client addresses are accepted
  ForwardedBy forwarded = ForwardedBy::XForwarded;

  MinDataRate data_rate() const noexcept { return {min_data_rate, grace}; }
};

// SharedState is shared by the loops of one server; everything else belongs to one loop.
struct SharedState {
  const Settings& first_settings;
  const Service& service;
  logging::Log& log;
  std::atomic<std::size_t> connections = 0;
  MemoryBudget memory{first_settings.buffered};
  std::atomic<std::uint64_t> next_pause_warning = 0;  // by the loops' clock
  websockets::SocketBus sockets = {};
  std::atomic<const Settings*> current_settings = &first_settings;

  // Those at this moment. The caller of replace_settings() keeps the previous ones: connections and requests refer to
  // them.
  const Settings& settings() const noexcept { return *current_settings.load(std::memory_order_acquire); }
  // They outlive the server.
  void replace_settings(const Settings& settings) noexcept {
    memory.set_limit(settings.buffered);
    current_settings.store(&settings, std::memory_order_release);
  }

  bool trusts(const net::Address& address) const {
    return std::ranges::any_of(settings().trusted,
                               [&](const net::Network& network) { return network.contains(address); });
  }
};

}  // namespace tern::exchange
