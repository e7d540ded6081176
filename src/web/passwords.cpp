#include <tern/web/passwords.hpp>

#include "base/random.hpp"
#include "web/bounded_offloader.hpp"
#include "web/crypt_hash.hpp"
#include "web/openssl.hpp"

#include <tern/app/app.hpp>

#include <argon2.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <thread>

namespace tern {
namespace web {
namespace {

constexpr std::size_t salt_size = 16;
constexpr std::size_t hash_size = 32;
constexpr std::string_view argon2id = "$argon2id$";

unsigned concurrency_of(const PasswordOptions& options) {
  return options.max_concurrent != 0 ? options.max_concurrent : std::max(1U, std::thread::hardware_concurrency() / 2);
}

PasswordOptions checked(const PasswordOptions& options) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw SetupError(std::string("Passwords: ") + what);
  };
  require(options.parallelism >= 1 && options.parallelism <= 64, "parallelism is from 1 to 64");
  require(options.iterations >= 1, "iterations is at least 1");
  require(options.memory_kib >= 8 * options.parallelism, "memory_kib is at least 8 for each lane of parallelism");
  require(options.memory_kib <= 4 * 1024 * 1024, "memory_kib is at most 4 GiB");
  return options;
}

// Not for a wrong password.
void require_hashed(int result) {
  if (result == ARGON2_OK) return;
  if (result == ARGON2_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
  throw std::runtime_error(std::string("Argon2: ") + ::argon2_error_message(result));
}

}  // namespace

class PasswordHasher {
public:
  explicit PasswordHasher(const PasswordOptions& options)
      : options_(checked(options)),
        parameters_(std::string(argon2id) + "v=19$m=" + std::to_string(options.memory_kib) +
                    ",t=" + std::to_string(options.iterations) + ",p=" + std::to_string(options.parallelism) + "$"),
        bounded_(concurrency_of(options), options.max_waiting) {}

  Offloader& bounded() noexcept { return bounded_; }

  std::string hash(std::string_view password) const {
    const std::string salt = base::random_bytes(salt_size);
    std::string text(::argon2_encodedlen(options_.iterations, options_.memory_kib, options_.parallelism, salt_size,
                                         hash_size, Argon2_id),
                     '\0');
    require_hashed(::argon2id_hash_encoded(options_.iterations, options_.memory_kib, options_.parallelism,
                                           password.data(), password.size(), salt.data(), salt.size(), hash_size,
                                           text.data(), text.size()));
    text.erase(text.find('\0'));
    return text;
  }

  PasswordCheck verify(std::string_view password, std::optional<std::string_view> stored) const {
    if (stored && is_crypt_hash(*stored)) {
      return verify_crypt_hash(password, *stored) ? PasswordCheck::Outdated : PasswordCheck::Wrong;
    }
    if (stored && stored->starts_with(argon2id)) {
      const std::string text(*stored);  // with a zero at its end
      const int result = ::argon2id_verify(text.c_str(), password.data(), password.size());
      if (result == ARGON2_OK) return stored->starts_with(parameters_) ? PasswordCheck::Right : PasswordCheck::Outdated;
      if (result == ARGON2_VERIFY_MISMATCH) return PasswordCheck::Wrong;
      if (result == ARGON2_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
    }
    work_in_vain(password);
    return PasswordCheck::Wrong;
  }

private:
  // What verifying a current hash costs.
  void work_in_vain(std::string_view password) const {
    const std::string salt(salt_size, '\0');
    std::array<char, hash_size> out;
    require_hashed(::argon2id_hash_raw(options_.iterations, options_.memory_kib, options_.parallelism, password.data(),
                                       password.size(), salt.data(), salt.size(), out.data(), out.size()));
  }

  const PasswordOptions options_;
  const std::string parameters_;  // the beginning of a current hash
  BoundedOffloader bounded_;
};

}  // namespace web

Passwords::Passwords(PasswordOptions options) : hasher_(base::make_box<web::PasswordHasher>(options)) {}

Task<std::string> Passwords::hash(std::string_view password) const {
  if (password.size() > max_size) throw std::invalid_argument("a password of more than 1024 bytes");
  web::PasswordHasher& hasher = *hasher_;
  co_return co_await hasher.bounded().run([&hasher, password] { return hasher.hash(password); });
}

Task<PasswordCheck> Passwords::verify(std::string_view password, std::optional<std::string_view> stored) const {
  if (password.size() > max_size) co_return PasswordCheck::Wrong;
  web::PasswordHasher& hasher = *hasher_;
  co_return co_await hasher.bounded().run([&hasher, password, stored] { return hasher.verify(password, stored); });
}

}  // namespace tern
