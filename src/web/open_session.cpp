#include <tern/web/open_session.hpp>

#include "web/session_service.hpp"
#include "web/session_token.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tern::web {

Task<std::expected<OpenSession*, Rejection>> OpenSession::find(Request& request, const void* key) {
  const SessionLink* const link = request.find<SessionLink>();
  OpenSession* open = link != nullptr ? link->innermost : nullptr;
  while (open != nullptr && open->type_.key != key) open = open->outer_;
  if (open == nullptr) throw std::logic_error("a tern::Session needs the middleware tern::Sessions of its type");
  auto failed = co_await open->service_.load(*open);
  if (failed) co_return std::unexpected(Rejection(std::move(*failed)));
  co_return open;
}

Task<std::expected<std::string, Rejection>> OpenSession::owner_of(Request& request) {
  const SessionLink* const link = request.find<SessionLink>();
  if (link == nullptr) co_return std::string();
  OpenSession& open = *link->innermost;
  auto failed = co_await open.service_.load(open);
  if (failed) co_return std::unexpected(Rejection(std::move(*failed)));
  if (!open.exists_) co_return std::string();
  std::string owner = open.record_.user.empty() ? "session " + open.id_ : "user " + open.record_.user;
  co_return owner;
}

void OpenSession::require_open() const {
  if (closed_) throw std::logic_error("a tern::Session is changed, but its response has begun");
}

void OpenSession::begin() {
  require_open();
  exists_ = changed_ = true;
  if (id_.empty()) make_id();
}

// Known to this request only, until the response has its cookie.
void OpenSession::make_id() {
  id_ = make_session_id();
  renewed_ = true;
}

void OpenSession::change(Change change) {
  begin();
  change(record_, value_);
  changes_.push_back(std::move(change));
}

void OpenSession::replace(Change change) {
  this->change(std::move(change));
  replaced_ = true;
}

void OpenSession::log_in(std::string user) {
  if (user.empty()) throw std::invalid_argument("Session::login: the user's id is empty");
  change([user = std::move(user)](SessionRecord& record, void*) { record.user = user; });
  make_id();
  logged_in_ = true;
}

void OpenSession::rotate() {
  begin();
  make_id();
}

void OpenSession::destroy() {
  require_open();
  forget();
  destroyed_ = true;
}

// As if the client had no session.
void OpenSession::forget() {
  record_ = SessionRecord();
  type_.reset(value_);
  id_.clear();
  changes_.clear();
  exists_ = changed_ = replaced_ = renewed_ = logged_in_ = false;
}

std::vector<Flash> OpenSession::take_flashes() {
  std::vector<Flash> taken = record_.flashes;
  if (taken.empty()) return taken;
  // Those that came meanwhile are behind them.
  change([count = taken.size()](SessionRecord& record, void*) {
    const std::size_t some = std::min(count, record.flashes.size());
    record.flashes.erase(record.flashes.begin(), record.flashes.begin() + static_cast<std::ptrdiff_t>(some));
  });
  return taken;
}

// A new session needs its id for this.
std::string OpenSession::csrf_token() {
  if (id_.empty()) begin();
  return make_csrf_token(id_);
}

}  // namespace tern::web
