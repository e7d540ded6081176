// What all loops of one server share: settings, read-only while it runs, and what crosses threads: a few
// counters, and what is published to WebSockets.
#pragma once

#include "http1/limits.hpp"
#include "http2/limits.hpp"
#include "net/network.hpp"
#include "server/forwarded.hpp"
#include "server/memory_budget.hpp"
#include "server/socket_bus.hpp"

#include <tern/base/duration.hpp>
#include <tern/http/exchange.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tern::server {

class Log;

enum class AccessFormat : std::uint8_t { Off, Common, Combined, Json };

struct Settings {
  http1::Limits heads = {};
  http2::Limits http2 = {.extended_connect = true};
  bool prior_knowledge = true;              // HTTP/2 without TLS, by its preface
  bool http2_only = false;                  // without TLS
  Limits limits = {};                       // of each request, unless its route changes them
  Milliseconds head_timeout = Seconds(10);  // zero: none; so with the others
  Milliseconds idle_timeout = Seconds(60);
  Milliseconds drain_timeout = Seconds(30);
  Milliseconds drain_idle = Milliseconds(500);   // for a request on its way to an idle connection, within a drain
  Milliseconds grace = Seconds(5);               // before the least rate counts
  std::size_t min_data_rate = 240;               // bytes a second, either way
  Milliseconds stall_timeout = Seconds(60);      // of event streams, in place of the least rate
  std::size_t connections = 1024;                // at once
  std::size_t buffered = 1024 * 1024 * 1024;     // bytes of all contents that are held, as MemoryBudget counts
  unsigned pool_threads = 0;                     // 0: one for each processor
  std::size_t pool_queue = 1024;                 // jobs of each priority
  Milliseconds certificate_period = Seconds(1);  // between looks at the files of certificates
  unsigned busy_poll = 0;                        // microseconds, as Loop::set_busy_poll()
  AccessFormat access = AccessFormat::Off;
  std::string server_name = {};            // the Server field; empty: none
  std::vector<net::Network> trusted = {};  // proxies: what they say about their clients is believed
  ForwardedField forwarded = ForwardedField::XForwarded;
};

// Whether a peer that has taken nothing since `since` has exhausted its patience; zero is for ever. In milliseconds.
inline bool has_stalled(Milliseconds patience, std::uint64_t since, std::uint64_t now) noexcept {
  return patience.count() != 0 && now - since >= static_cast<std::uint64_t>(patience.count());
}

// Shared by the loops; everything else in a loop is its own.
struct Shared {
  const Settings& settings;
  const Service& service;
  Log& log;
  std::atomic<std::size_t> connections = 0;
  MemoryBudget memory{settings.buffered};
  std::atomic<std::uint64_t> next_pause_warning = 0;  // by the loops' clock
  SocketBus sockets = {};

  bool trusts(const net::Address& address) const {
    return std::ranges::any_of(settings.trusted,
                               [&](const net::Network& network) { return network.contains(address); });
  }
};

// How many loops to run: the processors that this process may use, by affinity and by cgroup quota.
unsigned usable_processors();
// How many bytes of memory this process may use, by cgroup and by the machine.
std::size_t usable_memory();
// How many descriptors this process may have (RLIMIT_NOFILE), and how many a server with so many loops and listeners
// needs beside its connections: those that are open by now, its own, and a reserve.
struct DescriptorBudget {
  std::size_t limit = 0;
  std::size_t needed = 0;
};
DescriptorBudget descriptor_budget(std::size_t loops, std::size_t listeners);

}  // namespace tern::server
