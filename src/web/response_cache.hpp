// The store of a tern::Cache, and the way of a request through it.
//
// Life of a request: serve() looks for the response by the request's key, where a list of fields may lead to a second
// key (Vary). A fresh response is served on the loop, at once. A stale one too, if a background task may refresh it.
// Otherwise fetch() enters the flight of the key: the leader calls the handler and stores its response; who has waited
// looks again.
#pragma once

#include "web/cache_rules.hpp"
#include "web/stored_response.hpp"

#include <tern/app/middleware.hpp>
#include <tern/base/lru_map.hpp>
#include <tern/coro/single_flight.hpp>
#include <tern/http/reply.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tern::web {

// Used by all loops concurrently.
class ResponseCache {
public:
  // Throws std::invalid_argument; see Cache.
  explicit ResponseCache(CacheOptions options);

  Reply serve(Request& request, Next next);

  void clear();
  std::size_t clear(std::string_view pattern);
  std::size_t clear_tag(std::string_view tag);
  CacheCounts counts() const;

  void add_owner() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
  void remove_owner() noexcept {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

private:
  // What is known for a key. Times in milliseconds of the loops' clock.
  struct Entry {
    SharedResponse response = {};
    std::shared_ptr<const std::vector<std::string>> vary = {};  // the key continues with the values of these fields
    std::uint64_t fresh_until = 0;
    std::uint64_t stale_until = 0;  // served while it is refreshed
    std::uint64_t error_until = 0;  // served in place of a 5xx

    // Whether responses for the key may not be stored: no request waits for another one then.
    bool is_refusal() const noexcept { return response == nullptr && vary == nullptr && fresh_until != 0; }
  };
  struct Wanted {
    std::string key = {};  // without the fields of Vary
    CacheDirectives directives = {};
    std::uint64_t since = 0;  // when the request arrived
    bool has_credentials = false;
  };
  enum class Outcome : std::uint8_t { Stored, NotStorable, Failed, Outdated };
  class Refresh;
  struct RefreshMark;

  ~ResponseCache() = default;

  Entry find(std::string& key, const Request& request);
  static bool may_serve(const Entry& found, const Wanted& wanted) noexcept;
  static bool is_fresh(const Entry& found, const Wanted& wanted, std::uint64_t now) noexcept;
  Reply serve_found(const Entry& found, Request& request, std::uint64_t now);

  Reply call(Request& request, Next next);
  Task<Response> store_later(Request& request, std::uint64_t clears, Reply reply);
  Task<Response> fetch(Request& request, Next next, Wanted wanted);
  Task<Flight> enter(std::string_view key, const Wanted& wanted);
  Task<Response> lead(Request& request, Next next, std::string key, Entry stale, Flight flight);

  Task<void> add_tag(Response& response);
  Outcome store(const Request& request, Response& response, std::uint64_t clears) noexcept;
  std::string key_for(const Request& request, const Response& response);
  void put(std::string_view key, Entry entry, std::size_t bytes);
  void refuse(std::string_view key) noexcept;
  bool keep_stale(std::string_view key, Entry stale, std::uint64_t until, std::uint64_t clears) noexcept;

  Refresh* refresh_of(const Request& request) const noexcept;
  void refresh(Request& request, std::string_view key, const Entry& stale) noexcept;
  static Task<void> run(base::Box<Refresh> refresh);
  Task<Response> finish(Refresh& refresh, Request& request, Next next);

  const CacheOptions options_;
  SingleFlight flights_;
  mutable std::mutex mutex_;  // guards the entries
  base::LruMap<Entry> entries_;
  std::atomic<std::uint64_t> clears_ = 0;  // a response that was made before one of them is not stored
  std::atomic<std::uint64_t> hits_ = 0;
  std::atomic<std::uint64_t> misses_ = 0;
  std::atomic<std::size_t> owners_ = 0;
};

}  // namespace tern::web
