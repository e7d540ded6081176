#include "tls/certificate_names.hpp"

#include <tern/base/ascii.hpp>

#include <memory>
#include <utility>

namespace tern::tls {
namespace {

std::string_view text_of(const ASN1_STRING* string) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
          static_cast<std::size_t>(ASN1_STRING_length(string))};
}

std::string lower(std::string_view name) {
  std::string text(name);
  for (char& c : text) c = base::to_lower(c);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

void CertificateNames::add(const X509& certificate, std::size_t index) {
  const std::unique_ptr<GENERAL_NAMES, Deleter<GENERAL_NAMES_free>> others(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(const_cast<X509*>(&certificate), NID_subject_alt_name, nullptr, nullptr)));
  bool found = false;
  for (int i = 0; others && i < sk_GENERAL_NAME_num(others.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(others.get(), i);
    if (name->type != GEN_DNS) continue;
    found = true;
    add(text_of(name->d.dNSName), index);
  }
  if (found) return;
  const X509_NAME* subject = X509_get_subject_name(&certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at >= 0) add(text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at))), index);
}

void CertificateNames::add(std::string_view name, std::size_t index) {
  names_.try_emplace(lower(name), index);
}

std::size_t CertificateNames::find(std::string_view host) const {
  const std::string name = lower(host);
  if (const auto exact = names_.find(name); exact != names_.end()) return exact->second;
  const std::size_t dot = name.find('.');
  if (dot == name.npos) return 0;
  const auto wild = names_.find("*" + name.substr(dot));
  return wild != names_.end() ? wild->second : 0;
}

}  // namespace tern::tls
