#include <tern/http/response.hpp>

#include <tern/base/ascii.hpp>
#include <tern/base/utf8.hpp>
#include <tern/http/uri.hpp>
#include <tern/http/writer.hpp>

#include <stdexcept>

namespace tern {
namespace {

bool is_content_type(std::string_view name) {
  return base::equals_ignoring_case(name, "content-type");
}

class GeneratingProducer final : public http::Producer {
public:
  explicit GeneratingProducer(Generator<std::string> pieces) : pieces_(std::move(pieces)) {}
  Task<> run(Writer& writer) override {
    while (const std::string* piece = pieces_.next()) co_await writer.write(*piece);
  }

private:
  Generator<std::string> pieces_;
};

}  // namespace

base::Box<http::Producer> http::generating_producer(Generator<std::string> pieces) {
  return base::Box<http::Producer>(new GeneratingProducer(std::move(pieces)));
}

Response Response::bytes(std::string_view content_type, std::string content) {
  Response response({}, std::move(content));
  response.set("content-type", content_type);
  return response;
}

Response Response::redirect(std::string_view location, Status status) {
  if (code(status) < 300 || code(status) > 399) throw std::invalid_argument("a redirect has a 3xx status");
  Response response(status);
  response.set("location", escape_uri(location));
  return response;
}

Response Response::borrowed(std::string_view content_type, std::string_view content) noexcept {
  Response response;
  response.type_ = content_type;
  response.borrowed_ = content;
  response.borrows_ = true;
  return response;
}

Response Response::static_content(std::string_view content_type, std::string_view content) noexcept {
  Response response = borrowed(content_type, content);
  response.static_ = true;
  return response;
}

Response Response::produced(std::string_view content_type, base::Box<http::Producer> producer) {
  Response response;
  if (!content_type.empty()) response.set("content-type", content_type);
  response.producer_.put(std::move(producer));
  return response;
}

Response& Response::set(std::string_view name, std::string_view value) & {
  const bool is_type = is_content_type(name);  // before the change: `name` may be a view into the fields
  fields_.set(name, value);
  if (is_type) drop_type();
  return *this;
}

Response& Response::add(std::string_view name, std::string_view value) & {
  if (is_content_type(name)) return set(name, value);
  fields_.add(name, value);
  return *this;
}

Response& Response::remove(std::string_view name) & {
  const bool is_type = is_content_type(name);
  fields_.remove(name);
  if (is_type) drop_type();
  return *this;
}

std::optional<std::string_view> Response::field(std::string_view name) const noexcept {
  if (!type_.empty() && is_content_type(name)) return literal_type();
  return fields_.find(name);
}

Response& Response::set_cookie(const SetCookie& cookie) & {
  fields_.add("set-cookie", to_field_value(cookie));
  return *this;
}

Response& Response::operator<<(std::string_view text) & {
  writable() += text;
  return *this;
}

Response& Response::operator<<(double value) & {
  base::append_number(writable(), value);
  return *this;
}

Response& Response::operator<<(float value) & {
  base::append_number(writable(), value);
  return *this;
}

void Response::add_after(base::Box<coro::Work> work) noexcept {
  coro::Work* last = after_.get();
  if (last == nullptr) return after_.put(std::move(work));
  while (last->next) last = last->next.get();
  last->next = std::move(work);
}

std::string& Response::writable() {
  if (borrows_) content(std::string(borrowed_));
  if (type_.empty() && !fields_.find("content-type")) {
    type_ = media::text;
    claims_utf8_ = true;
  }
  return owned_;
}

// Drops the UTF-8 charset from the type if the content is not UTF-8.
std::string_view Response::checked_type() const noexcept {
  return base::is_utf8(content()) ? type_ : type_.substr(0, type_.find(';'));
}

}  // namespace tern
