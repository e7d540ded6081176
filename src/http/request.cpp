#include <tern/http/request.hpp>

#include <tern/http/cookie.hpp>
#include <tern/http/exchange.hpp>

#include "base/words.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace tern {

std::string_view Request::method_name() const noexcept {
  return head_.method == Method::Extension ? head_.extension_method : tern::method_name(head_.method);
}

std::string_view Request::host() const noexcept {
  if (!head_.parts.authority.empty()) return head_.parts.authority;
  return field("host").value_or(std::string_view());
}

std::optional<std::string_view> Request::cookie(std::string_view name) const noexcept {
  return find_cookie(head_.fields, name);
}

std::optional<std::string_view> Request::parameter(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < value_count_; ++i) {
    if (names_[i] == name) return values_[i];
  }
  return std::nullopt;
}

std::string_view Request::remote() const {
  return exchange_->remote();
}

std::uint16_t Request::remote_port() const {
  return exchange_->remote_port();
}

void Request::log(LogLevel level, std::string_view text, LogFields fields, const std::source_location& place) const {
  if (level < LogLevel::Off) exchange_->log({level, http::app_part, text, fields, this, place});
}

std::string_view Request::listener() const {
  return exchange_->listener();
}

std::string_view Request::scheme() const {
  return exchange_->scheme();
}

bool Request::from_trusted_proxy() const {
  return exchange_->from_trusted_proxy();
}

void Request::set_id(std::string_view id) {
  constexpr std::size_t max_size = 128;
  const bool invisible = base::any_word(id, [](std::uint64_t word) {
    return base::below(word, '!') | base::equal_to(word, 0x7F) | (word & base::high_bits);
  });
  if (id.empty() || id.size() > max_size || invisible) {
    throw std::invalid_argument("the id of a request has 1 to 128 visible ASCII characters");
  }
  if (id.size() > short_id_.size()) {
    id_ = arena().copy(id);
  } else {
    std::memmove(short_id_.data(), id.data(), id.size());  // it may be there already
    id_ = {short_id_.data(), id.size()};
  }
}

const TlsFacts* Request::tls() const {
  return exchange_->tls();
}

StopToken Request::stop() const noexcept {
  return exchange_->stop();
}

Arena& Request::arena() const noexcept {
  return exchange_->arena();
}

std::string Request::take_body(std::string_view bytes) noexcept {
  if (bytes.data() != collected_.data() || bytes.size() != collected_.size()) return {};
  body_ = {};
  return std::exchange(collected_, {});
}

void Request::clear() noexcept {
  head_.clear();
  body_ = route_ = id_ = trace_id_ = {};
  names_ = {};
  value_count_ = 0;
  kept_ = nullptr;
  // Frees the memory; an assignment would not.
  if (collected_.capacity() != std::string().capacity()) std::string().swap(collected_);
  collected_.clear();
}

void* Request::find_value(const void* key) const noexcept {
  for (const Value* value = kept_; value != nullptr; value = value->previous) {
    if (value->key == key) return value->value;
  }
  return nullptr;
}

void Request::add_value(const void* key, void* value) {
  kept_ = &arena().make<Value>(Value{key, value, kept_});
}

}  // namespace tern
