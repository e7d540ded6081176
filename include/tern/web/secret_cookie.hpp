// Extractors of signed and encrypted cookies.
#pragma once

#include <tern/app/bind.hpp>
#include <tern/app/extract.hpp>
#include <tern/web/key_ring.hpp>

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tern {

// The value of a cookie made by signed_cookie(), by the app's State<KeyRing>. 400 if there is no valid one: use
// std::optional<SignedCookie<"name">> for a cookie that may be missing.
template <FixedText Name>
struct SignedCookie : Holder<std::string> {};

// The same for encrypted_cookie().
template <FixedText Name>
struct EncryptedCookie : Holder<std::string> {};

namespace web {

using FindCookie = std::optional<std::string> (*)(const KeyRing&, const Request&, std::string_view);

inline constexpr app::NeededState needed_keys{"State<KeyRing>", &http::type_key<KeyRing>};

std::expected<std::string, Rejection> secret_cookie(const Request& request, std::string_view name, FindCookie find);

template <class Held>
std::expected<Held, Rejection> held_cookie(const Request& request, std::string_view name, FindCookie find) {
  auto value = secret_cookie(request, name, find);
  if (!value) return std::unexpected(std::move(value.error()));
  return Held{{std::move(*value)}};
}

}  // namespace web

template <FixedText Name>
struct Extract<SignedCookie<Name>> {
  static constexpr app::NeededState needed_state = web::needed_keys;
  static std::expected<SignedCookie<Name>, Rejection> from(Request& request) {
    return web::held_cookie<SignedCookie<Name>>(request, Name.view(), &find_signed_cookie);
  }
};

template <FixedText Name>
struct Extract<EncryptedCookie<Name>> {
  static constexpr app::NeededState needed_state = web::needed_keys;
  static std::expected<EncryptedCookie<Name>, Rejection> from(Request& request) {
    return web::held_cookie<EncryptedCookie<Name>>(request, Name.view(), &find_encrypted_cookie);
  }
};

}  // namespace tern
