// Passwords, hashed by Argon2id (RFC 9106); hashes of other programs are verified, too.
#pragma once

#include <tern/base/box.hpp>
#include <tern/coro/task.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

namespace web {
class PasswordHasher;
}

// The cost of a hash, and how many are computed at a time. The defaults are OWASP's.
struct PasswordOptions {
  std::uint32_t memory_kib = 19 * 1024;  // of one hash, while it is computed
  std::uint32_t iterations = 2;
  std::uint32_t parallelism = 1;
  unsigned max_concurrent = 0;   // hashes at a time, over all loops; 0: half of the processors, at least one
  std::size_t max_waiting = 64;  // that wait for their turn; beyond it, Overloaded is thrown (503)
};

enum class PasswordCheck : std::uint8_t {
  Wrong,
  Right,
  Outdated,  // right, and hashed with other parameters or by another function: store a new hash of the password
};

// Hashes passwords and verifies them, on the pool of the app. As a state:
//
//   app.state(tern::Passwords());
//   app.post("/login", [](tern::Form<Login> form, tern::State<tern::Passwords> passwords, tern::State<Users> users)
//                          -> tern::Task<tern::Response> {
//     const std::optional<User> user = users->find(form->name);
//     const auto check = co_await passwords->verify(form->password, user ? std::optional(user->hash) : std::nullopt);
//
// Thread-safe. At most `max_concurrent` hashes are computed at a time and `max_waiting` wait; more throw Overloaded,
// which is a 503. Loops are never blocked.
class Passwords {
public:
  static constexpr std::size_t max_size = 1024;  // of a password, in bytes

  // Throws SetupError for parameters that Argon2 does not have (memory of at least 8 KiB for each lane).
  explicit Passwords(PasswordOptions options = {});

  // A PHC string with a random salt: "$argon2id$v=19$m=19456,t=2,p=1$…". Throws std::invalid_argument for a password of
  // more than max_size bytes.
  Task<std::string> hash(std::string_view password) const;

  // Compares in constant time. Without `stored`, for a user that does not exist, and with text that is no hash, it is
  // Wrong after the same work: the time does not tell which users exist. A right password is Outdated for a hash of
  // another program: bcrypt ($2a$, $2b$, $2y$), SHA-crypt ($5$, $6$), scrypt ($7$) or yescrypt ($y$). Those take as
  // long as their own parameters say.
  Task<PasswordCheck> verify(std::string_view password, std::optional<std::string_view> stored) const;

private:
  base::Box<web::PasswordHasher> hasher_;
};

}  // namespace tern
