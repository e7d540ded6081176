#include "web/keys.hpp"

#include "base/random.hpp"
#include "web/base64url.hpp"
#include "web/digest.hpp"
#include "web/openssl.hpp"

#include <tern/app/app.hpp>

#include <openssl/err.h>
#include <openssl/kdf.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

namespace tern::web {
namespace {

constexpr char signed_format = 1;
constexpr char encrypted_format = 2;
constexpr std::size_t min_secret_size = 32;
constexpr std::size_t header_size = 1 + 4 + 8;
constexpr std::size_t nonce_size = 12;
constexpr std::size_t tag_size = 16;
constexpr std::size_t mac_size = 32;
constexpr std::size_t max_token_size = 1024 * 1024;

void require(bool succeeded) {
  if (succeeded) return;
  ERR_clear_error();
  throw std::runtime_error("OpenSSL cannot sign or encrypt");
}

// HKDF-SHA-256 (RFC 5869).
void derive(std::string_view secret, std::string_view info, std::span<unsigned char> to) {
  const OpenSslKeyContext context(EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nullptr));
  std::size_t size = to.size();
  require(context != nullptr && EVP_PKEY_derive_init(context.get()) == 1 &&
          EVP_PKEY_CTX_set_hkdf_md(context.get(), EVP_sha256()) == 1 &&
          EVP_PKEY_CTX_set1_hkdf_key(context.get(), bytes_of(secret), static_cast<int>(secret.size())) == 1 &&
          EVP_PKEY_CTX_add1_hkdf_info(context.get(), bytes_of(info), static_cast<int>(info.size())) == 1 &&
          EVP_PKEY_derive(context.get(), to.data(), &size) == 1);
}

void append_integer(std::string& out, std::uint64_t value, unsigned bytes) {
  while (bytes-- > 0) out.push_back(static_cast<char>(value >> (8 * bytes) & 0xFFU));
}

// The purpose with its length in front, so that it cannot run into what follows.
std::string authenticated(std::string_view purpose, std::string_view header) {
  std::string text;
  text.reserve(4 + purpose.size() + header.size());
  append_integer(text, purpose.size(), 4);
  return text.append(purpose).append(header);
}

std::string mac_of(std::span<const unsigned char> key, std::string_view text) {
  return hmac_sha256({reinterpret_cast<const char*>(key.data()), key.size()}, {text});
}

}  // namespace

// What a token has behind its header.
struct Keys::Parts {
  const Key* key;
  std::string_view header;
  std::string_view rest;
};

Keys::Keys(std::vector<std::string> secrets) {
  if (secrets.empty()) throw SetupError("KeyRing: there is no secret: make one by tern::KeyRing::generate()");
  for (std::string& secret : secrets) {
    if (secret.size() < min_secret_size) {
      throw SetupError("KeyRing: a secret has " + std::to_string(secret.size()) +
                       " bytes, and needs 32: make one by tern::KeyRing::generate()");
    }
    std::array<unsigned char, key_size> encryption;
    derive(secret, "tern encryption", encryption);
    Key key{{}, {}, GcmContexts(encryption)};
    derive(secret, "tern key id", key.id);
    derive(secret, "tern signing", key.signing);
    OPENSSL_cleanse(encryption.data(), encryption.size());
    OPENSSL_cleanse(secret.data(), secret.size());
    if (std::ranges::count(keys_, key.id, &Key::id) > 0) throw SetupError("KeyRing: two secrets are equal");
    keys_.push_back(key);
  }
}

const Keys::Key* Keys::find(std::string_view id) const noexcept {
  const auto found = std::ranges::find_if(keys_, [id](const Key& key) {
    return std::equal(key.id.begin(), key.id.end(), bytes_of(id), bytes_of(id) + id_size);
  });
  return found == keys_.end() ? nullptr : &*found;
}

std::string Keys::header(char format, std::int64_t expires) const {
  std::string bytes(1, format);
  for (const unsigned char byte : keys_.front().id) bytes.push_back(static_cast<char>(byte));
  append_integer(bytes, static_cast<std::uint64_t>(expires), 8);
  return bytes;
}

// Unset for another format, an unknown key, and an expired token, which may be forged too.
std::optional<Keys::Parts> Keys::split(char format, std::string_view bytes, std::int64_t now) const {
  if (bytes.size() < header_size || bytes.front() != format) return std::nullopt;
  const Parts parts{find(bytes.substr(1, id_size)), bytes.substr(0, header_size), bytes.substr(header_size)};
  std::uint64_t expires = 0;
  for (const char byte : bytes.substr(1 + id_size, 8)) expires = expires << 8U | static_cast<unsigned char>(byte);
  if (parts.key == nullptr || (expires != 0 && static_cast<std::int64_t>(expires) <= now)) return std::nullopt;
  return parts;
}

std::string Keys::sign(std::string_view purpose, std::string_view text, std::int64_t expires) const {
  std::string bytes = header(signed_format, expires).append(text);
  return to_base64url(bytes.append(mac_of(keys_.front().signing, authenticated(purpose, bytes))));
}

std::optional<std::string> Keys::verify(std::string_view purpose, std::string_view token, std::int64_t now) const {
  if (token.size() > max_token_size) return std::nullopt;
  const auto bytes = from_base64url(token);
  const auto parts = bytes ? split(signed_format, *bytes, now) : std::nullopt;
  if (!parts || parts->rest.size() < mac_size) return std::nullopt;
  const std::string_view covered = std::string_view(*bytes).substr(0, bytes->size() - mac_size);
  if (!equal_in_constant_time(mac_of(parts->key->signing, authenticated(purpose, covered)),
                              bytes->substr(covered.size()))) {
    return std::nullopt;
  }
  return std::string(covered.substr(header_size));
}

std::string Keys::encrypt(std::string_view purpose, std::string_view text, std::int64_t expires) const {
  std::string bytes = header(encrypted_format, expires);
  const std::string covered = authenticated(purpose, bytes);
  const std::string nonce = base::random_bytes(nonce_size);
  bytes += nonce;
  const std::size_t at = bytes.size();
  bytes.resize(at + text.size() + tag_size);
  OpenSslCipher cipher = keys_.front().encryption.take();
  int size = 0;
  unsigned char* to = bytes_of(bytes) + at;
  require(EVP_EncryptInit_ex(cipher.get(), nullptr, nullptr, nullptr, bytes_of(std::string_view(nonce))) == 1 &&
          EVP_EncryptUpdate(cipher.get(), nullptr, &size, bytes_of(std::string_view(covered)),
                            static_cast<int>(covered.size())) == 1 &&
          EVP_EncryptUpdate(cipher.get(), to, &size, bytes_of(text), static_cast<int>(text.size())) == 1 &&
          EVP_EncryptFinal_ex(cipher.get(), to + size, &size) == 1 &&
          EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, tag_size, to + text.size()) == 1);
  keys_.front().encryption.give(std::move(cipher));
  return to_base64url(bytes);
}

// In place: the text is never there before its tag was compared, because `bytes` ends here.
std::optional<std::string> Keys::decrypt(std::string_view purpose, std::string_view token, std::int64_t now) const {
  if (token.size() > max_token_size) return std::nullopt;
  auto bytes = from_base64url(token);
  const auto parts = bytes ? split(encrypted_format, *bytes, now) : std::nullopt;
  if (!parts || parts->rest.size() < nonce_size + tag_size) return std::nullopt;
  const std::string covered = authenticated(purpose, parts->header);
  constexpr std::size_t begin = header_size + nonce_size;
  const std::size_t length = bytes->size() - begin - tag_size;
  unsigned char* const text = bytes_of(*bytes) + begin;
  OpenSslCipher cipher = parts->key->encryption.take();
  int size = 0;
  require(EVP_DecryptInit_ex(cipher.get(), nullptr, nullptr, nullptr, bytes_of(parts->rest)) == 1 &&
          EVP_DecryptUpdate(cipher.get(), nullptr, &size, bytes_of(std::string_view(covered)),
                            static_cast<int>(covered.size())) == 1 &&
          EVP_DecryptUpdate(cipher.get(), text, &size, text, static_cast<int>(length)) == 1 &&
          EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, tag_size, text + length) == 1);
  const bool authentic = EVP_DecryptFinal_ex(cipher.get(), text + size, &size) == 1;
  parts->key->encryption.give(std::move(cipher));
  if (!authentic) {
    ERR_clear_error();
    return std::nullopt;
  }
  bytes->resize(begin + length);
  bytes->erase(0, begin);
  return bytes;
}

}  // namespace tern::web
