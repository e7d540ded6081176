// Request: what a handler is asked.
#pragma once

#include <tern/base/arena.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/http/request_head.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern {

class Exchange;

namespace http {

// One address for each type, to tell types apart without RTTI.
template <class T>
inline constexpr char type_key = 0;

inline constexpr std::size_t max_parameters = 16;

}  // namespace http

// The TLS that a request came over.
struct TlsFacts {
  std::string_view version = {};      // "TLSv1.3"
  std::string_view cipher = {};       // "TLS_AES_256_GCM_SHA384"
  std::string_view server_name = {};  // that the client asked for (SNI); empty: none
  std::string_view protocol = {};     // negotiated by ALPN: "h2", "http/1.1"; empty: the client did not ask
  // Of the client's certificate, which has been verified; empty where it has sent none.
  std::string_view client_subject = {};  // "CN=Anna,O=Tern" (RFC 4514)
  // Subject alternative names, each with its kind: "DNS:a.example", "email:a@a.example", "URI:spiffe://a/b",
  // "IP:192.0.2.1". Other kinds are left out.
  std::span<const std::string_view> client_names = {};
  std::string_view client_serial = {};       // hexadecimal, in upper case: "1F"
  std::string_view client_fingerprint = {};  // SHA-256 of the certificate (DER), hexadecimal, in lower case
};

// The head of a request, its content once that has been read, and what middleware found out about it. Every view
// obtained from it is valid until the handler has ended and its response has been handed over. Belongs to one loop.
class Request {
public:
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Method method() const noexcept { return head_.method; }
  // The method's token, of Method::Extension too.
  std::string_view method_name() const noexcept;
  Version version() const noexcept { return head_.version; }
  // The target as it was sent.
  std::string_view target() const noexcept { return head_.target; }
  // The path as it was sent, percent escapes included; begins with '/', or is "*".
  std::string_view path() const noexcept { return head_.parts.path; }
  // What stands behind the '?', as it was sent.
  std::string_view query() const noexcept { return head_.parts.query; }
  // Host and port the client asked for (RFC 9110, section 7.2): of the target, or of the Host field.
  std::string_view host() const noexcept;

  const RequestFields& fields() const noexcept { return head_.fields; }
  std::optional<std::string_view> field(std::string_view name) const noexcept { return head_.fields.find(name); }
  // The fields behind the content (RFC 9110, section 6.5), which never merge with fields(): there once the content has
  // been read to its end. Names are in lower case over HTTP/2.
  const RequestFields& trailers() const noexcept { return head_.trailers; }
  std::optional<std::string_view> cookie(std::string_view name) const noexcept;
  // Which of the media types that are offered ("text/html") the client likes best by its Accept fields (RFC 9110,
  // section 12.5.1), the first of equals, and the first of all where it did not say; empty where it accepts none.
  std::string_view accepts(std::initializer_list<std::string_view> offered) const noexcept;

  // The content. Complete in a handler that takes a Request& or an extractor of content; empty in middleware.
  std::string_view body() const noexcept { return body_; }

  // The content as JSON, as tern::Json<T> is bound. Throws the HttpError that refuses it otherwise: 415, 400, 422. Only
  // where body() is there. Defined in tern/app/extract.hpp.
  template <class T>
  T json() const;

  // The pattern of the route that serves this request; empty for 404.
  std::string_view route() const noexcept { return route_; }
  // The decoded value of the route's placeholder of that name.
  std::optional<std::string_view> parameter(std::string_view name) const noexcept;
  // All of them in the pattern's order.
  std::span<const std::string_view> parameters() const noexcept { return {values_.data(), value_count_}; }

  std::string_view remote() const;
  std::uint16_t remote_port() const;
  // "http" or "https".
  std::string_view scheme() const;
  // Null when it did not come over TLS.
  const TlsFacts* tls() const;
  // Fires when the client has gone.
  StopToken stop() const noexcept;
  // Memory until the end of the exchange.
  Arena& arena() const noexcept;

  // Keeps a value of the request's own, for those that come after (a user that middleware has recognised). One of each
  // type; a later one hides the one before.
  template <class T>
  std::decay_t<T>& put(T&& value);
  // The value of that type, or null.
  template <class T>
  T* find() const noexcept {
    return static_cast<T*>(find_value(&http::type_key<T>));
  }

  // For those who build requests and route them.
  Exchange& exchange() const noexcept { return *exchange_; }
  RequestHead& head() noexcept { return head_; }
  void set_body(std::string_view body) noexcept { body_ = body; }
  std::string& collected_body() noexcept { return collected_; }
  // The content as a string, where `bytes` are all of it and were collected; empty otherwise. There is no body() then.
  std::string take_body(std::string_view bytes) noexcept;
  void set_route(std::string_view pattern, std::span<const std::string> names) noexcept {
    route_ = pattern;
    names_ = names;
  }
  std::array<std::string_view, http::max_parameters>& parameter_values() noexcept { return values_; }
  void set_parameter_count(std::size_t count) noexcept { value_count_ = count; }

private:
  friend class Exchange;
  struct Value {
    const void* key;
    void* value;
    Value* previous;
  };

  explicit Request(Exchange& exchange) noexcept : exchange_(&exchange) {}
  void clear() noexcept;
  void* find_value(const void* key) const noexcept;
  void keep_value(const void* key, void* value);

  Exchange* exchange_;
  RequestHead head_;
  std::string_view body_;
  std::string_view route_;
  std::span<const std::string> names_;
  std::array<std::string_view, http::max_parameters> values_;
  std::size_t value_count_ = 0;
  Value* kept_ = nullptr;
  std::string collected_;
};

template <class T>
std::decay_t<T>& Request::put(T&& value) {
  auto& kept = arena().template make<std::decay_t<T>>(std::forward<T>(value));
  keep_value(&http::type_key<std::decay_t<T>>, &kept);
  return kept;
}

}  // namespace tern
