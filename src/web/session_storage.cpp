// Sessions in a store, or in their cookies.
#include "web/clock.hpp"
#include "web/cookies.hpp"
#include "web/session_record.hpp"
#include "web/session_service.hpp"
#include "web/session_token.hpp"

#include "http/unavailable.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tern::web {
namespace {

constexpr int max_attempts = 16;  // each of which another request has won

}  // namespace

// --- Loading ---

// Empty if there is none, or there are two different ones: a subdomain may have added one of a session that its owner
// knows.
std::string_view SessionService::cookie_of(const Request& request) const {
  const std::string_view name = cookie_name(request).name;
  std::optional<std::string_view> found;
  bool ambiguous = false;
  for_cookies(request.fields(), name, [&](std::string_view value) {
    ambiguous = ambiguous || (found && *found != value);
    found = value;
  });
  return found && !ambiguous ? *found : std::string_view();
}

std::string SessionService::key_of(std::string_view id) const {
  return options_.cookie + ":" + hash_for_store(id);
}

std::string SessionService::key_of_user(std::string_view user) const {
  return options_.cookie + "-user:" + hash_for_store(user);
}

Task<std::optional<Problem>> SessionService::load(OpenSession& session) {
  if (session.loaded_) co_return std::nullopt;
  if (session.value_ == nullptr) session.value_ = type_.make(session.request_.arena());
  std::string failure;
  try {
    const std::string_view cookie = cookie_of(session.request_);
    if (!options_.keys) {
      if (is_session_id(cookie)) co_await load_from_store(session, std::string(cookie));
    } else if (load_from_cookie(session, cookie) && needs_epoch(session)) {
      co_await check_epoch(session);
    }
  } catch (const StoreError& error) {
    failure = error.what();
  }
  if (failure.empty()) {
    session.loaded_ = true;
    co_return std::nullopt;
  }
  session.request_.exchange().report("sessions: " + failure);
  co_return http::unavailable("sessions are unavailable at the moment");
}

Task<> SessionService::load_from_store(OpenSession& session, std::string id) {
  const std::string key = key_of(id);
  const auto entry = co_await store_->read(key);
  if (!entry || !take(session, entry->value)) co_return;
  if (needs_epoch(session)) co_await check_epoch(session);
  if (!session.exists_) co_return;
  session.version_ = entry->version;
  session.id_ = session.stored_id_ = std::move(id);
}

bool SessionService::load_from_cookie(OpenSession& session, std::string_view cookie) const {
  if (cookie.empty()) return false;
  const auto bytes = options_.keys->decrypt(cookie_name(session.request_).purpose, cookie);
  if (!bytes || !take(session, *bytes)) return false;
  session.id_ = session.record_.id;
  return true;
}

// False, and the session is a new one, if the stored one is not valid any more.
bool SessionService::take(OpenSession& session, std::string_view bytes) const {
  auto record = read_session_record(bytes);
  if (!record || lifetime_of(*record).count() <= 0 || !type_.read(record->data, session.value_)) {
    session.forget();
    return false;
  }
  session.record_ = std::move(*record);
  if (!options_.keys) session.loaded_data_ = session.record_.data;
  session.exists_ = true;
  return true;
}

bool SessionService::needs_epoch(const OpenSession& session) const noexcept {
  return store_ != nullptr && !session.record_.user.empty();
}

// The session is a new one if all sessions of its user were ended.
Task<> SessionService::check_epoch(OpenSession& session) const {
  const std::string key = key_of_user(session.record_.user);
  const auto epoch = co_await store_->read(key);
  if (!epoch || epoch->value != session.record_.epoch) session.forget();
}

// Until it ends without further requests; 0 if it has ended.
Seconds SessionService::lifetime_of(const SessionRecord& record) const noexcept {
  const Seconds now(unix_time());
  const Seconds end =
      std::min(Seconds(record.seen) + options_.idle + grace_, Seconds(record.begun) + options_.absolute);
  return std::max(end - now, Seconds(0));
}

// --- Saving ---

bool SessionService::is_due(const OpenSession& session) const noexcept {
  return session.exists_ && unix_time() - session.record_.seen >= std::max<Seconds::rep>(grace_.count(), 1);
}

Task<> SessionService::store(OpenSession& session, Saved& saved) {
  if (session.destroyed_ && !session.stored_id_.empty()) {
    const std::string key = key_of(session.stored_id_);
    co_await store_->erase(key);
    session.stored_id_.clear();
  }
  session.touched_ = is_due(session);
  if (session.changed_) {
    saved = co_await save(session);
  } else if (session.touched_) {
    co_await try_save(session);  // otherwise another request has done so, or has ended it
  }
}

Task<SessionService::Saved> SessionService::save(OpenSession& session) {
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    if (co_await try_save(session)) co_return Saved::Done;
    if (co_await rebase(session) == Saved::Conflict) break;
  }
  co_return Saved::Conflict;
}

// False: another request has changed it.
Task<bool> SessionService::try_save(OpenSession& session) {
  SessionRecord& record = session.record_;
  record.seen = unix_time();
  record.data = type_.write(session.value_);
  if (session.renewed_ && !co_await renew(session)) co_return false;
  if (!options_.keys) {
    const std::string key = key_of(session.id_);
    const std::string text = to_bytes(record);
    const std::uint64_t expected = session.renewed_ ? Store::absent : session.version_;
    const Milliseconds lifetime = std::max(lifetime_of(record), Seconds(1));
    if (!co_await store_->write(key, text, lifetime, expected)) co_return false;
  }
  session.written_ = true;
  co_return true;
}

// For a new id: removes the old entry. Of two requests that do so, one wins.
Task<bool> SessionService::renew(OpenSession& session) {
  if (!session.stored_id_.empty()) {
    const std::string key = key_of(session.stored_id_);
    if (!co_await store_->erase(key, session.version_)) co_return false;
    session.stored_id_.clear();
  }
  SessionRecord& record = session.record_;
  if (options_.keys) record.id = session.id_;
  if (session.logged_in_ || record.begun == 0) record.begun = record.seen;
  if (session.logged_in_) record.epoch = co_await epoch_of(record.user);
  co_return true;
}

// Applies the changes to what another request has stored.
Task<SessionService::Saved> SessionService::rebase(OpenSession& session) {
  const std::string key = key_of(session.stored_id_);
  const auto entry = co_await store_->read(key);
  if (!entry && session.logged_in_) {  // two logins at the same time, each with a session of its own
    session.stored_id_.clear();
    co_return Saved::Done;
  }
  const std::string known_data = session.loaded_data_;
  if (!entry || !take(session, entry->value)) co_return Saved::Conflict;
  if (needs_epoch(session)) co_await check_epoch(session);
  if (!session.exists_) co_return Saved::Conflict;
  session.version_ = entry->version;
  if (session.replaced_ && session.loaded_data_ != known_data) co_return Saved::Conflict;
  for (const OpenSession::Change& change : session.changes_) change(session.record_, session.value_);
  co_return Saved::Done;
}

// --- All sessions of a user ---

// Made by the first login. It lives at least as long as the sessions: without it, they are not valid.
Task<std::string> SessionService::epoch_of(std::string_view user) {
  if (store_ == nullptr) co_return std::string();
  const std::string key = key_of_user(user);
  const Milliseconds lifetime = options_.absolute + Seconds(60);
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    const auto entry = co_await store_->read(key);
    if (entry && co_await store_->extend(key, lifetime)) co_return entry->value;
    const std::string epoch = make_session_id();
    if (!entry && co_await store_->write(key, epoch, lifetime, Store::absent)) co_return epoch;
  }
  throw StoreError("an entry changes again and again");
}

Task<> SessionService::end_all(std::string_view user) {
  if (store_ == nullptr) {
    throw std::logic_error("Sessions::end_all: sessions in cookies need a store for that: set SessionOptions::store");
  }
  const std::string key = key_of_user(user);
  co_await store_->erase(key);
}

}  // namespace tern::web
