// Request: the input of a handler.
#pragma once

#include <tern/base/arena.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/http/log.hpp>
#include <tern/http/request_head.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern {

class Exchange;

namespace http {

// A unique address per type, which identifies types without RTTI.
template <class T>
inline constexpr char type_key = 0;

inline constexpr std::size_t max_parameters = 16;

}  // namespace http

// The TLS parameters of a request.
struct TlsFacts {
  std::string_view version = {};      // "TLSv1.3"
  std::string_view cipher = {};       // "TLS_AES_256_GCM_SHA384"
  std::string_view server_name = {};  // requested by the client (SNI); empty: none
  std::string_view protocol = {};     // negotiated by ALPN: "h2", "http/1.1"; empty: the client did not offer any
  // Of the client's verified certificate; empty if it has sent none.
  std::string_view client_subject = {};  // "CN=Anna,O=Tern" (RFC 4514)
  // Subject alternative names with their kinds: "DNS:a.example", "email:a@a.example", "URI:spiffe://a/b",
  // "IP:192.0.2.1". Other kinds are omitted.
  std::span<const std::string_view> client_names = {};
  std::string_view client_serial = {};       // hexadecimal, in upper case: "1F"
  std::string_view client_fingerprint = {};  // SHA-256 of the certificate (DER), hexadecimal, in lower case
};

// The head of a request, its content once that has been read, and values stored by middleware. All views are valid
// until the handler has ended and its response was passed to the server. Belongs to one loop.
class Request {
public:
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Method method() const noexcept { return head_.method; }
  // The method's token, also for Method::Extension.
  std::string_view method_name() const noexcept;
  Version version() const noexcept { return head_.version; }
  // The target as it was sent.
  std::string_view target() const noexcept { return head_.target; }
  // The path as it was sent, percent escapes included; begins with '/', or is "*".
  std::string_view path() const noexcept { return head_.parts.path; }
  // The query as it was sent, without the '?'.
  std::string_view query() const noexcept { return head_.parts.query; }
  // The requested host and port (RFC 9110, section 7.2): of the target, or of the Host field.
  std::string_view host() const noexcept;

  const RequestFields& fields() const noexcept { return head_.fields; }
  std::optional<std::string_view> field(std::string_view name) const noexcept { return head_.fields.find(name); }
  // The trailer fields (RFC 9110, section 6.5), which are never merged with fields(); available once the content was
  // read completely. Names are in lower case over HTTP/2.
  const RequestFields& trailers() const noexcept { return head_.trailers; }
  std::optional<std::string_view> cookie(std::string_view name) const noexcept;
  // The media type among the offered ones ("text/html") that the client's Accept fields prefer (RFC 9110, section
  // 12.5.1). The first of equals; the first of all if there are no Accept fields; empty if the client accepts none.
  std::string_view accepts(std::initializer_list<std::string_view> offered) const noexcept;

  // The content. Complete in a handler with a Request& or a content extractor; empty in middleware.
  std::string_view body() const noexcept { return body_; }

  // The content as JSON, bound as tern::Json<T>. Otherwise throws the HttpError of the extractor: 415, 400, 422. Only
  // if body() is complete. Reads on the calling thread, however large it is; Json<T> uses the pool. Defined in
  // tern/app/extract.hpp.
  template <class T>
  T json() const;

  // See App::url(). Defined in tern/app/url.hpp.
  template <class... A>
  std::string url(std::string_view name, const A&... values) const;

  // The pattern of the matched route; empty for 404.
  std::string_view route() const noexcept { return route_; }
  // The decoded value of the route's placeholder with that name.
  std::optional<std::string_view> parameter(std::string_view name) const noexcept;
  // The values of all placeholders, in the pattern's order.
  std::span<const std::string_view> parameters() const noexcept { return {values_.data(), value_count_}; }
  // The name of the placeholder at `index` of parameters().
  std::string_view parameter_name(std::size_t index) const noexcept { return names_[index]; }

  std::string_view remote() const;
  std::uint16_t remote_port() const;
  // "http" or "https".
  std::string_view scheme() const;
  // Whether the peer of the connection is one of ProxyOptions::trusted: its fields are those of a proxy, and not of
  // the client.
  bool from_trusted_proxy() const;
  // The name of the listener that received the request (Listener::name); empty if it has none.
  std::string_view listener() const;
  // Null without TLS.
  const TlsFacts* tls() const;
  // Fires when the client disconnects.
  StopToken stop() const noexcept;
  // Memory that is freed at the end of the exchange.
  Arena& arena() const noexcept;

  // A name for this request in logs and responses; empty until set_id(). See tern::RequestIds.
  std::string_view id() const noexcept { return id_; }
  // For middleware. The id is copied. Throws std::invalid_argument unless it has 1 to 128 visible ASCII characters.
  void set_id(std::string_view id);

  // The id of the request's trace in logs (32 hexadecimal digits); empty without App::trace().
  std::string_view trace_id() const noexcept { return trace_id_; }
  void set_trace_id(std::string_view id) noexcept { trace_id_ = id; }  // in the arena

  // A line in the error log, as tern::log() writes it, behind the method and the route, and before the request's id:
  // "GET /books/{id}: sold id=7 request_id=0199…".
  void log(LogLevel level, std::string_view text, LogFields fields = {},
           const std::source_location& place = std::source_location::current()) const;

  // Stores a value for later middleware and the handler (an authenticated user). One per type; a later one hides
  // earlier ones.
  template <class T>
  std::decay_t<T>& put(T&& value);
  // The stored value of that type, or null.
  template <class T>
  T* find() const noexcept {
    return static_cast<T*>(find_value(&http::type_key<T>));
  }

  // For servers and routers.
  Exchange& exchange() const noexcept { return *exchange_; }
  RequestHead& head() noexcept { return head_; }
  void set_body(std::string_view body) noexcept { body_ = body; }
  std::string& collected_body() noexcept { return collected_; }
  // Moves the content out if it was collected and `bytes` are all of it; otherwise empty. body() is empty afterwards.
  std::string take_body(std::string_view bytes) noexcept;
  void set_route(std::string_view pattern, std::span<const std::string> names, std::uint32_t index) noexcept {
    route_ = pattern;
    names_ = names;
    route_index_ = index;
  }
  // The place of the matched route in App::routes(). Only if route() is not empty.
  std::uint32_t route_index() const noexcept { return route_index_; }
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
  void add_value(const void* key, void* value);

  Exchange* exchange_;
  RequestHead head_;
  std::string_view body_;
  std::string_view route_;
  std::string_view id_;            // in short_id_, or in the arena
  std::array<char, 40> short_id_;  // of an id such as a UUID; the arena would be a block for it
  std::string_view trace_id_;      // in the arena
  std::span<const std::string> names_;
  std::array<std::string_view, http::max_parameters> values_;
  std::size_t value_count_ = 0;
  std::uint32_t route_index_ = 0;
  Value* kept_ = nullptr;
  std::string collected_;
};

template <class T>
std::decay_t<T>& Request::put(T&& value) {
  auto& kept = arena().template make<std::decay_t<T>>(std::forward<T>(value));
  add_value(&http::type_key<std::decay_t<T>>, &kept);
  return kept;
}

}  // namespace tern
