// RateStore: keeps the state of rate limits outside of the process.
#pragma once

#include <tern/base/duration.hpp>
#include <tern/coro/task.hpp>

#include <cstdint>
#include <string_view>

namespace tern {

// A limit: a bucket for each key, of `limit` tokens, that fills in `window` when it is empty.
struct RateRule {
  std::string_view name;  // of the limit
  std::uint64_t limit = 1;
  Seconds window = Seconds(1);
};

struct RateOutcome {
  bool allowed = false;
  std::uint64_t remaining = 0;   // tokens left
  std::uint64_t full_in = 0;     // nanoseconds until the bucket is full
  std::uint64_t allowed_in = 0;  // nanoseconds until the cost is affordable; 0 if it was allowed
};

// Rate limits that several servers share. Each call is atomic, also with respect to other servers. Rules with the same
// name, limit and window are one limit. From any loop; views must be valid until the task has ended. Both tasks throw
// StoreError if the store fails.
class RateStore {
public:
  virtual ~RateStore() = default;

  // Takes `cost` tokens if there are as many. A cost above the limit is never affordable.
  virtual Task<RateOutcome> take(const RateRule& rule, std::string_view key, std::uint64_t cost) = 0;
  // Gives tokens back that were taken. Returns the tokens that are there then.
  virtual Task<RateOutcome> give_back(const RateRule& rule, std::string_view key, std::uint64_t cost) = 0;

protected:
  RateStore() = default;
  RateStore(const RateStore&) = default;
  RateStore(RateStore&&) = default;
  RateStore& operator=(const RateStore&) = default;
  RateStore& operator=(RateStore&&) = default;
};

}  // namespace tern
