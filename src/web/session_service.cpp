#include "web/session_service.hpp"

#include "http/unavailable.hpp"
#include "web/cross_origin.hpp"
#include "web/field_list.hpp"
#include "web/form_token.hpp"
#include "web/session_record.hpp"
#include "web/session_token.hpp"

#include <tern/app/app.hpp>
#include <tern/base/ascii.hpp>
#include <tern/coro/awaitable.hpp>
#include <tern/web/session_identity.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tern {
namespace web {
namespace {

constexpr std::size_t max_cookie_name = 64;  // it begins the keys of the store
constexpr Seconds longest = Seconds(10LL * 365 * 24 * 3600);

std::string_view without_prefix(std::string_view cookie) noexcept {
  for (const std::string_view prefix : {"__Host-", "__Secure-"}) {
    if (base::equals_ignoring_case(cookie.substr(0, prefix.size()), prefix)) return cookie.substr(prefix.size());
  }
  return cookie;
}

bool is_plain_loopback(const Request& request) {
  const std::string_view remote = request.remote();
  return request.scheme() == "http" && (remote.starts_with("127.") || remote == "::1");
}

void require(bool holds, const std::string& what) {
  if (!holds) throw SetupError("Sessions: " + what);
}

SessionOptions checked(SessionOptions options) {
  require(options.idle.count() > 0 && options.idle <= longest, "idle is from one second to ten years");
  require(options.absolute.count() > 0 && options.absolute <= longest, "absolute is from one second to ten years");
  require(!without_prefix(options.cookie).empty() && options.cookie.size() <= max_cookie_name,
          "cookie has a name of at most 64 bytes, not only a prefix");
  try {
    to_field_value({.name = options.cookie, .value = "x", .same_site = options.same_site});
  } catch (const std::invalid_argument& error) {
    throw SetupError(std::string("Sessions: ") + error.what());
  }
  return options;
}

}  // namespace

SessionService::SessionService(SessionOptions options, const SessionType& type)
    : options_(checked(std::move(options))),
      cookie_name_{options_.cookie, "session:" + options_.cookie, true},
      plain_cookie_name_{std::string(without_prefix(options_.cookie)),
                         "session:" + std::string(without_prefix(options_.cookie)), false},
      type_(type),
      trusted_(options_.trusted_origins, "Sessions"),
      grace_(std::min<Seconds::rep>(60, options_.idle.count() / 10)) {
  if (options_.store == nullptr && !options_.keys) own_store_.emplace();
  store_ = own_store_ ? &*own_store_ : options_.store;
}

Reply SessionService::serve(Request& request, Next next) {
  const bool safe = is_safe(request.method());
  if (!safe && is_from_elsewhere(request, trusted_)) return refuse_cross_origin(request);
  const SessionLink* const outer = request.find<SessionLink>();
  auto& session =
      request.arena().make<OpenSession>(*this, type_, request, outer != nullptr ? outer->innermost : nullptr);
  request.put(SessionLink{&session});
  const bool names_origin = request.field("sec-fetch-site") || request.field("origin");
  if (!safe && !names_origin && options_.csrf_tokens && !cookie_of(request).empty()) {
    return Reply(check_token(session, request, next));
  }
  return finish(session, next());
}

// A browser that does not name the origin, or another client: a session is worth a token.
Task<Response> SessionService::check_token(OpenSession& session, Request& request, Next next) {
  Exchange& exchange = request.exchange();
  exchange.pin();
  const auto failed = co_await load(session);
  if (failed) co_return exchange.refuse(*failed);
  if (session.exists_) {
    std::string token(request.field("x-csrf-token").value_or(""));
    if (token.empty()) {
      auto read = co_await read_form_token(request);
      if (!read) co_return exchange.refuse(to_problem(read.error()));
      token = std::move(*read);
    }
    if (!is_csrf_token(token, session.id_)) {
      co_return exchange.refuse({Status::Forbidden,
                                 "the request has neither Sec-Fetch-Site nor Origin, and no valid CSRF token of its "
                                 "session",
                                 {},
                                 {}});
    }
  }
  Reply reply = finish(session, next());
  co_return co_await std::move(reply);
}

Reply SessionService::finish(OpenSession& session, Reply reply) {
  if (!reply.ready()) return Reply(close_after(session, std::move(reply)));
  if (!session.loaded_) return reply;
  if (!begin_close(session, reply.response())) return reply;
  return Reply(close(session, std::move(reply.response())));
}

Task<Response> SessionService::close_after(OpenSession& session, Reply reply) {
  Response response = co_await std::move(reply);
  if (!session.loaded_ || !begin_close(session, response)) co_return response;
  co_return co_await close(session, std::move(response));
}

// Before the head of the response leaves, also of a stream. False if there is nothing to store.
bool SessionService::begin_close(OpenSession& session, Response& response) const {
  session.closed_ = true;
  add_vary(response, "Cookie");
  if (!response.fields().find("cache-control")) response.set("Cache-Control", "private");
  return code(response.status()) < 500 && (session.changed_ || session.destroyed_ || is_due(session));
}

Task<Response> SessionService::close(OpenSession& session, Response response) {
  Exchange& exchange = session.request_.exchange();
  exchange.pin();
  std::string failure;
  Saved saved = Saved::Done;
  try {
    co_await uncancelled(store(session, saved));  // a client that leaves does not lose half of a login
  } catch (const StoreError& error) {
    failure = error.what();
  }
  if (!failure.empty()) {
    exchange.report("sessions: " + failure);
    co_return exchange.refuse(http::unavailable("sessions are unavailable at the moment"));
  }
  if (saved == Saved::Conflict) {
    co_return exchange.refuse(
        {Status::Conflict, "the session was changed by another request at the same time", {}, {}});
  }
  add_cookie(session, response);
  co_return response;
}

void SessionService::add_cookie(const OpenSession& session, Response& response) const {
  if (!session.destroyed_ && !session.renewed_ && !session.written_) return;
  const CookieName& name = cookie_name(session.request_);
  SetCookie cookie{.name = name.name, .value = "", .secure = name.secure, .same_site = options_.same_site};
  if (session.destroyed_ && !session.exists_) {
    cookie.max_age = Seconds(0);
    response.set_cookie(cookie);
    return;
  }
  const bool is_kept_in_it = options_.keys && session.written_;
  const bool lasts_longer = !options_.until_browser_closes && session.written_ && session.touched_;
  if (!session.renewed_ && !is_kept_in_it && !lasts_longer) return;
  const Seconds lifetime = lifetime_of(session.record_);
  if (!options_.until_browser_closes) cookie.max_age = lifetime;
  cookie.value =
      options_.keys ? options_.keys->encrypt(name.purpose, to_bytes(session.record_), lifetime) : session.id_;
  if (cookie.name.size() + cookie.value.size() > 4096) {
    throw std::length_error("a session of " + std::to_string(session.record_.data.size()) +
                            " bytes does not fit into a cookie: keep it in a store");
  }
  response.set_cookie(cookie);
}

const SessionService::CookieName& SessionService::cookie_name(const Request& request) const {
  return options_.plain_loopback && is_plain_loopback(request) ? plain_cookie_name_ : cookie_name_;
}

void describe_sessions(Operation& operation) {
  if (operation.is_safe()) return;
  operation.problem(Status::Forbidden, "The request comes from a page of another origin");
}

void describe_session(Operation& operation) {
  operation.problem(Status::Conflict, "The session was changed by another request at the same time");
  operation.problem(Status::ServiceUnavailable, "Sessions are unavailable at the moment");
}

void describe_session_identity(Operation& operation, std::string_view cookie) {
  std::string scheme = R"({"type":"apiKey","in":"cookie","name":)";
  scheme.append(json::to_string(cookie)).append("}");
  operation.authentication("session", scheme);
  operation.authentication_is_optional();
  // Not 401, because sessions have no challenge.
  operation.problem(Status::Forbidden, "There is no session of a user who may do this");
  operation.problem(Status::ServiceUnavailable, "Sessions are unavailable at the moment");
}

AnySessions::AnySessions(SessionOptions options, const SessionType& type)
    : service_(new SessionService(std::move(options), type)) {}

AnySessions::AnySessions(const AnySessions& other) noexcept : service_(other.service_) {
  service_->add_owner();
}

AnySessions& AnySessions::operator=(const AnySessions& other) noexcept {
  other.service_->add_owner();
  service_->remove_owner();
  service_ = other.service_;
  return *this;
}

AnySessions::~AnySessions() {
  service_->remove_owner();
}

Reply AnySessions::operator()(Request& request, Next next) const {
  return service_->serve(request, next);
}

Task<> AnySessions::end_all(std::string_view user) const {
  return service_->end_all(user);
}

}  // namespace web
}  // namespace tern
