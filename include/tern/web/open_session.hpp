// The session of one request, without its type: what Session<T> and Sessions<T> stand on.
#pragma once

#include <tern/base/arena.hpp>
#include <tern/base/function.hpp>
#include <tern/coro/task.hpp>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

class Request;
struct Rejection;

// A message that is shown once, by the next page.
struct Flash {
  std::string kind;  // for its looks: "success", "error"
  std::string text;
};

namespace web {

class SessionService;

// What is stored of a session.
struct SessionRecord {
  std::string user = {};   // see Session::login(); empty: without a login
  std::string epoch = {};  // of the user's sessions, at the login
  std::string id = {};     // only in a cookie
  std::int64_t begun = 0;  // seconds since 1970: the first response, or the login
  std::int64_t seen = 0;   // at most a minute older than the last request
  std::string data = {};   // JSON of the program's type
  std::vector<Flash> flashes = {};
};

// What a Session<T> knows about T.
struct SessionType {
  const void* key;  // of Sessions<T>
  void* (*make)(Arena& arena);
  bool (*read)(std::string_view json, void* value);  // false: it is not a T
  void (*reset)(void* value);
  std::string (*write)(const void* value);
};

// Made by the middleware for each request; loaded when a handler wants it, and stored when there is a response.
class OpenSession {
public:
  // Applied at once, and again if another request has changed the session meanwhile.
  using Change = base::Function<void(SessionRecord& record, void* value)>;

  // The one of that type, loaded. Throws std::logic_error without middleware for it.
  static Task<std::expected<OpenSession*, Rejection>> find(Request& request, const void* key);

  // Whose session the request has, loaded: of the user, or of the session if there was no login. Empty for a request
  // without a session, and without the middleware Sessions.
  static Task<std::expected<std::string, Rejection>> owner_of(Request& request);

  OpenSession(SessionService& service, const SessionType& type, Request& request, OpenSession* outer) noexcept
      : service_(service), type_(type), request_(request), outer_(outer) {}
  OpenSession(const OpenSession&) = delete;
  OpenSession& operator=(const OpenSession&) = delete;

  const void* value() const noexcept { return value_; }
  std::string_view user() const noexcept { return record_.user; }
  bool exists() const noexcept { return exists_; }

  void change(Change change);
  // The same for a change that replaces the value: it must not hide another request's.
  void replace(Change change);
  void log_in(std::string user);
  void rotate();
  void destroy();
  std::vector<Flash> take_flashes();
  std::string csrf_token();

private:
  friend class SessionService;

  void require_open() const;
  void begin();
  void make_id();
  void forget();

  SessionService& service_;
  const SessionType& type_;
  Request& request_;
  OpenSession* outer_;  // of middleware around this one
  void* value_ = nullptr;
  std::string id_;             // base64url; empty: it has none yet
  std::string stored_id_;      // of the store's entry; empty: there is none
  std::uint64_t version_ = 0;  // of that entry
  std::string loaded_data_;    // what `replace` has seen
  SessionRecord record_;
  std::vector<Change> changes_;
  bool loaded_ = false;
  bool exists_ = false;  // it was loaded, or has been changed
  bool changed_ = false;
  bool replaced_ = false;
  bool renewed_ = false;  // gets a new id
  bool logged_in_ = false;
  bool destroyed_ = false;
  bool touched_ = false;  // its time of expiry moves
  bool written_ = false;
  bool closed_ = false;  // the response has begun
};

}  // namespace web
}  // namespace tern
