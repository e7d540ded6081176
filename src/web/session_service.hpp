// Loads and stores sessions (docs/adr/0058-sessions.md).
//
// Life of a session in a request: the middleware makes an OpenSession; an extractor loads it; the handler changes it;
// close() stores it when there is a response. In a store, the key of a session is a hash of its id, and the entry of a
// user has the epoch that all sessions of the user must have.
#pragma once

#include "web/origin.hpp"

#include <tern/web/memory_store.hpp>
#include <tern/web/session.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tern::web {

// The value by which a request has its sessions.
struct SessionLink {
  OpenSession* innermost;
};

class SessionService {
public:
  // Throws SetupError.
  SessionService(SessionOptions options, const SessionType& type);
  SessionService(const SessionService&) = delete;
  SessionService& operator=(const SessionService&) = delete;

  Reply serve(Request& request, Next next);
  // Unset when the session was loaded, maybe as a new one.
  Task<std::optional<Problem>> load(OpenSession& session);
  Task<> end_all(std::string_view user);

  void add_owner() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
  void remove_owner() noexcept {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

private:
  ~SessionService() = default;

  enum class Saved : std::uint8_t { Done, Conflict };

  struct CookieName {
    std::string name;
    std::string purpose;  // of its encryption
    bool secure = true;
  };

  // --- session_service.cpp ---
  Reply finish(OpenSession& session, Reply reply);
  bool begin_close(OpenSession& session, Response& response) const;
  Task<Response> close(OpenSession& session, Response response);
  Task<Response> close_after(OpenSession& session, Reply reply);
  Task<Response> check_token(OpenSession& session, Request& request, Next next);
  void add_cookie(const OpenSession& session, Response& response) const;
  const CookieName& cookie_name(const Request& request) const;

  // --- session_storage.cpp ---
  std::string_view cookie_of(const Request& request) const;
  std::string key_of(std::string_view id) const;
  std::string key_of_user(std::string_view user) const;
  Seconds lifetime_of(const SessionRecord& record) const noexcept;
  bool is_due(const OpenSession& session) const noexcept;
  Task<> load_from_store(OpenSession& session, std::string id);
  bool load_from_cookie(OpenSession& session, std::string_view cookie) const;
  bool take(OpenSession& session, std::string_view bytes) const;
  bool needs_epoch(const OpenSession& session) const noexcept;
  Task<> check_epoch(OpenSession& session) const;
  Task<Saved> save(OpenSession& session);
  Task<bool> try_save(OpenSession& session);
  Task<bool> renew(OpenSession& session);
  Task<Saved> rebase(OpenSession& session);
  Task<> store(OpenSession& session, Saved& saved);
  Task<std::string> epoch_of(std::string_view user);

  const SessionOptions options_;
  const CookieName cookie_name_;
  const CookieName plain_cookie_name_;  // for SessionOptions::plain_loopback
  const SessionType& type_;
  const OriginList trusted_;
  const Seconds grace_;  // how much `seen` may be behind
  std::optional<MemoryStore> own_store_;
  Store* store_ = nullptr;  // null: sessions in cookies that cannot be ended
  std::atomic<std::size_t> owners_ = 1;
};

}  // namespace tern::web
