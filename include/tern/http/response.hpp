// Response: the result of a handler.
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/expects.hpp>
#include <tern/base/number.hpp>
#include <tern/coro/generator.hpp>
#include <tern/coro/task.hpp>
#include <tern/coro/work.hpp>
#include <tern/http/cookie.hpp>
#include <tern/http/fields.hpp>
#include <tern/http/status.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern {

namespace media {
inline constexpr std::string_view text = "text/plain; charset=utf-8";
inline constexpr std::string_view html = "text/html; charset=utf-8";
inline constexpr std::string_view json = "application/json";
inline constexpr std::string_view problem = "application/problem+json";
inline constexpr std::string_view bytes = "application/octet-stream";
}  // namespace media

class Reply;
class Response;
class Writer;

namespace http {

struct FileRange;
class SocketUpgrade;
Response upgrade_to(SocketUpgrade* owned);

// Produces the content of a streamed response.
class Producer {
public:
  Producer() = default;
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;
  virtual ~Producer() = default;
  virtual Task<> run(Writer& writer) = 0;
  // The number of bytes that run() writes, where it is known in advance: sent as Content-Length. If they cannot be
  // written, run() throws.
  virtual std::optional<std::uint64_t> length() const noexcept { return std::nullopt; }
};

// Keeps the callable while its coroutine runs: the frame of a coroutine lambda refers to its captures in the closure.
template <class F>
class CallingProducer final : public Producer {
public:
  explicit CallingProducer(F call) : call_(std::move(call)) {}
  Task<> run(Writer& writer) override { return call_(writer); }

private:
  F call_;
};

// An owned object of a response. Responses can be copied, but copying one with an owned object is a contract violation.
// A single pointer, so that responses without one stay small.
template <class T>
class Attached {
public:
  Attached() noexcept = default;
  Attached(Attached&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Attached& operator=(Attached&& other) noexcept {
    put(other.take());
    return *this;
  }
  Attached(const Attached& other) noexcept {
    base::expects(other.object_ == nullptr, "a response that streams, or has work after it, cannot be copied");
  }
  Attached& operator=(const Attached& other) noexcept { return *this = Attached(other); }
  ~Attached() { delete object_; }

  T* get() const noexcept { return object_; }
  void put(base::Box<T> object) noexcept {
    delete object_;
    object_ = object.release();
  }
  base::Box<T> take() noexcept { return base::Box<T>(std::exchange(object_, nullptr)); }

private:
  T* object_ = nullptr;
};

base::Box<Producer> generating_producer(Generator<std::string> pieces);

}  // namespace http

// A status, fields and content. The server adds Date, and Content-Length or Transfer-Encoding, and omits the content
// where it is not allowed (HEAD, 204, 304). Cheap to move.
class Response {
public:
  Response() noexcept = default;
  explicit Response(Status status) noexcept : status_(status) {}
  // Produces a readable compiler error for a lambda with different result types.
  template <std::same_as<Reply> R>
  Response(R) = delete;  // a reply may still be a task: a function that returns Response and next() says -> tern::Reply

  // Content that is not UTF-8 is sent unchanged, without "charset=utf-8" in its type.
  static Response text(std::string content) noexcept { return {media::text, std::move(content), ClaimUtf8()}; }
  static Response html(std::string content) noexcept { return {media::html, std::move(content), ClaimUtf8()}; }
  // The same for borrowed text; see borrowed().
  static Response borrowed_text(std::string_view content) noexcept { return {media::text, content, ClaimUtf8()}; }
  // `content` is JSON text.
  static Response json(std::string content) { return Response(media::json, std::move(content)); }
  static Response bytes(std::string_view content_type, std::string content);
  // 303 makes the client GET `location`; 307 and 308 repeat the request there. Escapes `location`; see escape_uri().
  static Response redirect(std::string_view location, Status status = Status::SeeOther);
  // Content from a coroutine: producer(Writer&) -> Task<>. It runs after the head was written, with backpressure from
  // the client, and only if content is sent (not for HEAD). The request stays valid until it has ended. If it throws,
  // the connection is closed, so that the client detects incomplete content.
  template <class F>
    requires std::same_as<std::invoke_result_t<F&, Writer&>, Task<>>
  static Response stream(std::string_view content_type, F producer) {
    return produced(content_type, base::Box<http::Producer>(new http::CallingProducer<F>(std::move(producer))));
  }
  // The same from a generator, which cannot wait.
  static Response stream(std::string_view content_type, Generator<std::string> pieces) {
    return produced(content_type, http::generating_producer(std::move(pieces)));
  }
  // The same from a producer, which may know its length.
  static Response produced(std::string_view content_type, base::Box<http::Producer> producer);
  // A part of a regular file (tern/http/file_range.hpp), with its length. If the file becomes shorter while it is sent,
  // the connection, or the HTTP/2 stream, is closed.
  static Response file(std::string_view content_type, http::FileRange range);
  // Borrowed content, under a type that is not checked: both views must live until the handler's request ends, as
  // literals and views into the request do.
  static Response borrowed(std::string_view content_type, std::string_view content) noexcept;
  // Static content: it outlives the server, such as a literal, or a file that was read at the start. It is never
  // copied.
  static Response static_content(std::string_view content_type, std::string_view content) noexcept;

  Status status() const noexcept { return status_; }
  // Setters return the response with its value category: a temporary stays one and is not copied.
  Response& status(Status status) & noexcept {
    status_ = status;
    return *this;
  }
  Response&& status(Status status) && noexcept { return std::move(this->status(status)); }

  // Set fields, including Content-Type; see the class Fields for exceptions.
  Response& set(std::string_view name, std::string_view value) &;
  Response&& set(std::string_view name, std::string_view value) && { return std::move(set(name, value)); }
  Response& add(std::string_view name, std::string_view value) &;
  Response&& add(std::string_view name, std::string_view value) && { return std::move(add(name, value)); }
  // The three are for middleware, and not for Content-Type.
  Response& add_checked(std::string_view name, std::string_view value) & {
    fields_.add_checked(name, value);
    return *this;
  }
  Response& add_all(const Fields& fields) & {
    fields_.add_all(fields);
    return *this;
  }
  Response& share(const Fields& fields) & {
    fields_.share(fields);
    return *this;
  }
  Response& remove(std::string_view name) &;
  Response&& remove(std::string_view name) && { return std::move(remove(name)); }
  std::optional<std::string_view> field(std::string_view name) const noexcept;
  Response& set_cookie(const SetCookie& cookie) &;
  Response&& set_cookie(const SetCookie& cookie) && { return std::move(set_cookie(cookie)); }

  std::string_view content() const noexcept { return borrows_ ? borrowed_ : std::string_view(owned_); }
  Response& content(std::string content) & noexcept {
    owned_ = std::move(content);
    borrows_ = static_ = false;
    return *this;
  }
  Response&& content(std::string content) && noexcept { return std::move(this->content(std::move(content))); }

  // Appends text to the content; without a type, that becomes text/plain, as with text().
  Response& operator<<(std::string_view text) &;
  Response& operator<<(const char* text) & { return *this << std::string_view(text); }
  Response& operator<<(char c) & { return *this << std::string_view(&c, 1); }
  Response& operator<<(std::same_as<bool> auto value) & { return *this << std::string_view(value ? "true" : "false"); }
  template <base::Integer T>
  Response& operator<<(T value) & {
    base::append_integer(writable(), value);
    return *this;
  }
  Response& operator<<(double value) &;
  Response& operator<<(float value) &;
  template <class T>
    requires requires(Response& response, const T& value) { response << value; }
  Response&& operator<<(const T& value) && {
    return std::move(*this << value);
  }

  // Closes the connection after this response (HTTP/1.1).
  Response& close() & noexcept {
    closes_ = true;
    return *this;
  }
  Response&& close() && noexcept { return std::move(close()); }
  bool closes() const noexcept { return closes_; }

  // Work after this response: work() -> void or Task<>, called on the loop when the response was passed to the socket
  // (over HTTP/1.1, a large one may still be queued). It also runs for HEAD, and when the client has disconnected. No
  // request waits for it, and nothing stops it before the time for the drain is over. Exceptions go to the error log.
  // The request is no longer valid: the work must own what it uses. Several run in the order of the calls. If the
  // response is replaced by another, its work does not run.
  template <class F>
  Response& after(F work) & {
    static_assert(coro::Runnable<F>, "tern: work after a response takes nothing and returns nothing or tern::Task<>");
    if constexpr (coro::Runnable<F>) add_after(coro::make_work(std::move(work)));
    return *this;
  }
  template <class F>
  Response&& after(F work) && {
    return std::move(after(std::move(work)));
  }

  // For middleware: replaces all fields, and the Content-Type. Cheaper than one set() for each.
  Response& set_fields(Fields fields) & noexcept {
    fields_ = std::move(fields);
    drop_type();
    return *this;
  }
  const Fields& fields() const noexcept { return fields_; }

  // For servers.
  // A Content-Type that is not in fields(); empty if there is none. For text() and html(), validates the content as
  // UTF-8: call it once.
  std::string_view literal_type() const noexcept { return claims_utf8_ ? checked_type() : type_; }
  // Moves the owned content out, for reuse of its memory; empty if it is borrowed.
  std::string take_owned() noexcept { return std::exchange(owned_, {}); }
  bool borrows() const noexcept { return borrows_; }
  bool is_static() const noexcept { return static_; }
  // Of a streamed response; otherwise null.
  http::Producer* producer() const noexcept { return producer_.get(); }
  base::Box<http::Producer> take_producer() noexcept { return producer_.take(); }
  // For middleware: replaces the producer of a streamed response by one that wraps it.
  void set_producer(base::Box<http::Producer> producer) noexcept { producer_.put(std::move(producer)); }
  // The upgrade of a response of upgrade_to().
  base::Box<http::SocketUpgrade> take_upgrade() noexcept;
  bool has_after() const noexcept { return after_.get() != nullptr; }
  // The callables of after(), linked by `next`.
  base::Box<coro::Work> take_after() noexcept { return after_.take(); }

private:
  friend Response http::upgrade_to(http::SocketUpgrade* owned);

  Response(std::string_view type, std::string content) noexcept : type_(type), owned_(std::move(content)) {}
  // In place: moving a response costs more than the check of a short text.
  struct ClaimUtf8 {};
  Response(std::string_view type, std::string&& content, ClaimUtf8) noexcept
      : claims_utf8_(true), type_(type), owned_(std::move(content)) {}
  Response(std::string_view type, std::string_view content, ClaimUtf8) noexcept
      : borrows_(true), claims_utf8_(true), type_(type), borrowed_(content) {}
  std::string_view checked_type() const noexcept;
  void drop_type() noexcept {
    type_ = {};
    claims_utf8_ = false;
  }
  std::string& writable();
  void add_after(base::Box<coro::Work> work) noexcept;

  Status status_ = Status::Ok;
  bool closes_ = false;
  bool borrows_ = false;
  bool static_ = false;       // the borrowed content outlives the server
  bool claims_utf8_ = false;  // type_ is media::text or media::html by default
  std::string_view type_;     // a constant of media::, or another static text
  std::string_view borrowed_;
  std::string owned_;
  Fields fields_;
  http::Attached<http::Producer> producer_;
  http::Attached<coro::Work> after_;
};

}  // namespace tern
