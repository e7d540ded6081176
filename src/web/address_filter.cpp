#include <tern/web/address_filter.hpp>

#include "web/address_list.hpp"

#include <tern/app/app.hpp>
#include <tern/http/problem.hpp>

namespace tern {
namespace web {

class AddressRules {
public:
  explicit AddressRules(const AddressFilterOptions& options)
      : allow_(options.allow, "AddressFilter"), deny_(options.deny, "AddressFilter") {
    if (allow_.empty() && deny_.empty()) throw SetupError("AddressFilter: there is nothing to allow or to deny");
  }

  bool admit(std::string_view remote) const noexcept {
    if (!is_unix_peer(remote) && !base::IpAddress::parse(remote)) return false;
    return !deny_.contains(remote) && (allow_.empty() || allow_.contains(remote));
  }

private:
  AddressList allow_;
  AddressList deny_;
};

}  // namespace web

AddressFilter::AddressFilter(const AddressFilterOptions& options)
    : rules_(base::make_box<web::AddressRules>(options)) {}

Reply AddressFilter::operator()(Request& request, Next next) const {
  if (rules_->admit(request.remote())) return next();
  return request.exchange().refuse(Problem{Status::Forbidden, "this is not served to your address", {}, {}});
}

}  // namespace tern
