// Middleware that runs a request once, however often its client sends it (Idempotency-Key,
// draft-ietf-httpapi-idempotency-key-header).
#pragma once

#include <tern/app/middleware.hpp>
#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/http/store.hpp>

#include <cstddef>
#include <string>

namespace tern {

namespace web {
class IdempotencyKeys;
}

struct IdempotencyOptions {
  Store* store = nullptr;                      // outlives the app; servers that share it share the keys
  Milliseconds lifetime = Seconds(24 * 3600);  // of a stored response
  // How long a request may run. Afterwards, its server counts as lost, and the key is free again.
  Milliseconds max_duration = Seconds(60);
  // How long a duplicate waits for the response of the request that runs; zero: it gets 409 at once.
  Milliseconds max_wait = Milliseconds(0);
  bool required = false;                        // requests without a key get 400
  std::size_t max_content_bytes = 1024 * 1024;  // of a request with a key; beyond it 413
  std::size_t max_response_bytes = 256 * 1024;  // that is stored
  // Whose key it is: clients with different texts do not share keys. Null: the Authorization field, and the user of the
  // session (or the session, without a login) if the middleware Sessions is around this. For clients that are known by
  // another cookie, it returns the user's name. Called by all loops concurrently. A function, or a lambda
  // without captures.
  std::string (*scope)(const Request& request) = nullptr;
};

// For an app, a group or a route:
//
//   tern::MemoryStore store;
//   app.post("/payments", pay).use(tern::Idempotency({.store = &store}));
//
// The first POST or PATCH with an Idempotency-Key calls the handler, and its response is stored. Later ones with the
// same key get that response, with `Idempotent-Replayed: true` and without its cookies. One with the same key and
// another method, path, query or content gets 422; one that comes while the first is running, 409. Not stored are
// responses with 5xx, 409, 425 and 429: the client may try again. Streams, files and responses of more than
// max_response_bytes cannot be repeated: later requests get 409.
//
// The handler runs to its end when the client disconnects, so that its response can be stored. If the store fails
// before, the answer is 503. Other methods, and requests without a key, pass.
class Idempotency {
public:
  // Throws SetupError without a store, for durations that are not at least one millisecond (max_wait: zero), and for a
  // max_duration of more than the lifetime.
  explicit Idempotency(const IdempotencyOptions& options);

  Reply operator()(Request& request, Next next) const;

private:
  base::Box<web::IdempotencyKeys> keys_;
};

}  // namespace tern
