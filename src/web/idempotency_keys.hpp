// The way of a request with an idempotency key.
//
// Life of a key: a request claims it by a write that expects no entry. Who loses reads what is there: a record of a
// request that runs, or its response. The owner of the claim calls the handler, and replaces the claim by the
// response, or erases it.
#pragma once

#include <tern/http/store.hpp>
#include <tern/web/idempotency.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tern::web {

// Used by all loops concurrently.
class IdempotencyKeys {
public:
  // See Idempotency. Throws SetupError.
  explicit IdempotencyKeys(const IdempotencyOptions& options);

  Reply serve(Request& request, Next next) const;

private:
  // A request with a key.
  struct Keyed {
    Request& request;
    Next next;
    std::string key;  // in the store
    std::string fingerprint = {};
    std::uint64_t version = 0;  // of the claim
  };

  std::string store_key(const Request& request, std::string_view owner, std::string_view key) const;
  Task<Response> begin(Request& request, Next next, std::string key) const;
  Task<std::optional<Response>> claim_or_answer(Keyed& keyed) const;
  std::optional<Response> answer_from(std::string_view record, const Keyed& keyed) const;
  Task<Response> run(Keyed& keyed) const;
  Task<void> settle(Keyed& keyed, const Response& response) const;

  const IdempotencyOptions options_;
};

}  // namespace tern::web
