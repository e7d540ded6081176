#include "web/p256_verifier.hpp"

#include "web/digest.hpp"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/obj_mac.h>

#include <array>
#include <memory>
#include <new>
#include <utility>

namespace tern::web {
namespace {

using OpenSslPoint = std::unique_ptr<EC_POINT, OpenSslFree<EC_POINT_free>>;
using OpenSslScratch = std::unique_ptr<BN_CTX, OpenSslFree<BN_CTX_free>>;

constexpr std::size_t number_size = 32;  // bytes of a coordinate

const EC_GROUP* p256() noexcept {
  static const EC_GROUP* const group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  return group;
}

// Deprecated since OpenSSL 3.0, without a replacement.
bool make_table(EC_GROUP* group) noexcept {
#ifdef OPENSSL_NO_DEPRECATED_3_0
  static_cast<void>(group);
  return false;
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return EC_GROUP_precompute_mult(group, nullptr) == 1 && EC_GROUP_have_precompute_mult(group) == 1;
#pragma GCC diagnostic pop
#endif
}

OpenSslPoint point_of(const EVP_PKEY& key) noexcept {
  std::array<unsigned char, 1 + 2 * number_size> bytes;
  std::array<char, 32> curve{};
  std::size_t size = 0;
  OpenSslPoint point(EC_POINT_new(p256()));
  const bool found =
      EVP_PKEY_get_group_name(&key, curve.data(), curve.size(), &size) == 1 &&
      std::string_view(curve.data(), size) == SN_X9_62_prime256v1 &&
      EVP_PKEY_get_octet_string_param(&key, OSSL_PKEY_PARAM_PUB_KEY, bytes.data(), bytes.size(), &size) == 1 && point &&
      EC_POINT_oct2point(p256(), point.get(), bytes.data(), size, nullptr) == 1;
  if (!found) point.reset();
  return point;
}

// The numbers of one verification; they belong to `scratch`.
struct Numbers {
  explicit Numbers(BN_CTX* scratch)
      : r(BN_CTX_get(scratch)), s(BN_CTX_get(scratch)), e(BN_CTX_get(scratch)), x(BN_CTX_get(scratch)) {}
  BIGNUM *r, *s, *e, *x;  // once there is no memory, all further ones are null
};

bool is_in_range(const BIGNUM* number, const BIGNUM* order) noexcept {
  return BN_is_zero(number) == 0 && BN_ucmp(number, order) < 0;
}

}  // namespace

std::optional<P256Verifier> P256Verifier::make(const EVP_PKEY& key) {
  const EC_GROUP* const curve = p256();
  const OpenSslPoint point = curve != nullptr ? point_of(key) : nullptr;
  OpenSslGroup group(point ? EC_GROUP_dup(curve) : nullptr);
  const bool made = group &&
                    EC_GROUP_set_generator(group.get(), point.get(), EC_GROUP_get0_order(curve),
                                           EC_GROUP_get0_cofactor(curve)) == 1 &&
                    make_table(group.get());
  ERR_clear_error();
  if (!made) return std::nullopt;
  return P256Verifier(std::move(group));
}

P256Verifier::P256Verifier(const P256Verifier& other) : group_(EC_GROUP_dup(other.group_.get())) {
  if (!group_) throw std::bad_alloc();
}

// With u = e/s and v = r/s modulo the order, the signature is valid if r is the x-coordinate of u·G + v·Q.
bool P256Verifier::verify(std::string_view text, std::string_view signature) const {
  if (signature.size() != 2 * number_size) return false;
  const std::string digest = sha256({text});
  const EC_GROUP* const curve = p256();
  const BIGNUM* const order = EC_GROUP_get0_order(curve);
  const OpenSslScratch scratch(BN_CTX_new());
  const OpenSslPoint sum(EC_POINT_new(curve));
  const OpenSslPoint of_key(EC_POINT_new(group_.get()));
  if (!scratch || !sum || !of_key) return false;
  BN_CTX_start(scratch.get());
  const Numbers n(scratch.get());
  const auto read = [](std::string_view bytes, BIGNUM* into) {
    return BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), into) != nullptr;
  };
  bool valid = n.x != nullptr && read(signature.substr(0, number_size), n.r) &&
               read(signature.substr(number_size), n.s) && read(digest, n.e) && is_in_range(n.r, order) &&
               is_in_range(n.s, order);
  valid = valid && BN_mod_inverse(n.s, n.s, order, scratch.get()) != nullptr &&
          BN_mod_mul(n.e, n.e, n.s, order, scratch.get()) == 1 &&
          BN_mod_mul(n.s, n.r, n.s, order, scratch.get()) == 1 &&
          EC_POINT_mul(curve, sum.get(), n.e, nullptr, nullptr, scratch.get()) == 1 &&
          EC_POINT_mul(group_.get(), of_key.get(), n.s, nullptr, nullptr, scratch.get()) == 1 &&
          EC_POINT_add(curve, sum.get(), sum.get(), of_key.get(), scratch.get()) == 1 &&
          EC_POINT_is_at_infinity(curve, sum.get()) == 0 &&
          EC_POINT_get_affine_coordinates(curve, sum.get(), n.x, nullptr, scratch.get()) == 1 &&
          BN_nnmod(n.x, n.x, order, scratch.get()) == 1 && BN_cmp(n.x, n.r) == 0;
  BN_CTX_end(scratch.get());
  if (!valid) ERR_clear_error();
  return valid;
}

}  // namespace tern::web
