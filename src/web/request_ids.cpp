#include <tern/web/request_ids.hpp>

#include "base/random.hpp"
#include "web/clock.hpp"

#include <tern/app/app.hpp>
#include <tern/base/ascii.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace tern {
namespace web {
namespace {

constexpr std::size_t max_id_size = 128;

bool is_acceptable(std::string_view id) {
  const auto fits = [](char c) {
    return base::is_alpha(c) || base::is_digit(c) || std::string_view("-_.:/+=@~").contains(c);
  };
  return !id.empty() && id.size() <= max_id_size && std::ranges::all_of(id, fits);
}

// "00" to "ff".
constexpr std::array<char, 512> hex_of_bytes = [] {
  std::array<char, 512> text{};
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[i] = "0123456789abcdef"[i % 2 == 0 ? i / 32 : i / 2 % 16];
  }
  return text;
}();

// A bijection whose results look random (the finaliser of SplitMix64).
std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

}  // namespace

class RequestIdSource {
public:
  // "0199a3f2-7c1e-7abc-8def-0123456789ab"
  using Id = std::array<char, 36>;

  explicit RequestIdSource(RequestIdOptions chosen) : options(std::move(chosen)) {
    try {
      Fields().add(options.field, "a");
    } catch (const std::invalid_argument& error) {
      throw SetupError(std::string("RequestIds: ") + error.what());
    }
    for (Counter& counter : counters_) counter.next = base::random_number();
  }

  bool accepts(const Request& request) const {
    switch (options.accept) {
      case RequestIdsFrom::TrustedProxies: return request.from_trusted_proxy();
      case RequestIdsFrom::AllClients: return true;
      case RequestIdsFrom::None: return false;
    }
    return false;
  }

  // unix_ts_ms (48 bits), version 7, rand_a (12), variant, rand_b (62).
  Id make(std::size_t loop) const noexcept {
    Counter& counter = counters_[loop % counters_.size()];
    const std::uint64_t number = counter.next.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t high = counter.unix_milliseconds() << 16 | 0x7000U | (mix(number + seed_) & 0xFFFU);
    const std::uint64_t low = (mix(number ^ seed_) & 0x3FFF'FFFF'FFFF'FFFFU) | 0x8000'0000'0000'0000U;
    Id id;
    char* out = id.data();
    out = append_hex(out, high >> 32, 8);
    *out++ = '-';
    out = append_hex(out, high >> 16, 4);
    *out++ = '-';
    out = append_hex(out, high, 4);
    *out++ = '-';
    out = append_hex(out, low >> 48, 4);
    *out++ = '-';
    append_hex(out, low, 12);
    return id;
  }

  // Both the name and the id were checked.
  void add_to(Response& response, std::string_view id) const {
    if (response.fields().may_have(options.field)) response.remove(options.field);
    response.add_checked(options.field, id);
  }

  const RequestIdOptions options;

private:
  // A loop has a cache line of its own, unless there are more of them.
  struct alignas(64) Counter {
    // The clock of the system, read once per iteration of the loop.
    std::uint64_t unix_milliseconds() noexcept {
      const std::uint64_t now = now_in_milliseconds();
      if (read_at.load(std::memory_order_relaxed) != now) {
        const auto time = std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
        unix_time.store(static_cast<std::uint64_t>(time), std::memory_order_relaxed);
        read_at.store(now, std::memory_order_relaxed);
      }
      return unix_time.load(std::memory_order_relaxed);
    }

    std::atomic<std::uint64_t> next = 0;
    std::atomic<std::uint64_t> read_at = static_cast<std::uint64_t>(-1);
    std::atomic<std::uint64_t> unix_time = 0;
  };

  // An even number of digits.
  static char* append_hex(char* out, std::uint64_t number, unsigned digits) noexcept {
    for (unsigned bits = 4 * digits; bits != 0; out += 2) {
      bits -= 8;
      std::memcpy(out, &hex_of_bytes[2 * (number >> bits & 0xFFU)], 2);
    }
    return out;
  }

  const std::uint64_t seed_ = base::random_number();
  mutable std::array<Counter, 64> counters_;
};

}  // namespace web

RequestIds::RequestIds(RequestIdOptions options) : source_(base::make_box<web::RequestIdSource>(std::move(options))) {}

Reply RequestIds::operator()(Request& request, Next next) const {
  const web::RequestIdSource& source = *source_;
  const auto sent = source.accepts(request) ? request.field(source.options.field) : std::nullopt;
  if (sent && web::is_acceptable(*sent)) {
    request.set_id(*sent);
  } else {
    const auto id = source.make(request.exchange().loop_index());
    request.set_id({id.data(), id.size()});
  }
  Reply reply = next();
  if (!source.options.in_response) return reply;
  reply.edit([&source, &request](Response& response) { source.add_to(response, request.id()); });
  return reply;
}

void RequestIds::add_fields(const Request& request, Response& response) const {
  if (source_->options.in_response && !request.id().empty()) source_->add_to(response, request.id());
}

std::expected<RequestId, Rejection> Extract<RequestId>::from(Request& request) {
  if (request.id().empty()) {
    throw std::logic_error(
        "a handler takes a tern::RequestId, but there is no tern::RequestIds around it: "
        "app.use(tern::RequestIds())");
  }
  return RequestId{{request.id()}};
}

}  // namespace tern
