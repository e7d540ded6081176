// The names of certificates, and the text of tern cert: what builds without TLS have, too.
#include "command/certificate.hpp"

#include <arpa/inet.h>
#include <algorithm>
#include <array>

namespace tern::command {
namespace {

bool is_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  return ::inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= 63 && is_letter_or_digit(label.front()) &&
         is_letter_or_digit(label.back()) &&
         std::ranges::all_of(label, [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; });
}

}  // namespace

std::string certificate_name_fault(std::string_view name) {
  const std::string text(name);
  if (name.find('\0') != std::string_view::npos) return "a name has no NUL";
  if (is_address(text)) return {};
  if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
    return text + " is not ASCII: write the form that begins with xn--";
  const bool is_wildcard = name.starts_with("*.");
  std::string_view rest = is_wildcard ? name.substr(2) : name;
  // OpenSSL matches no wildcard right below a top-level domain.
  if (is_wildcard && rest.find('.') == std::string_view::npos) return "clients accept no wildcard as wide as " + text;
  const std::string_view last = rest.substr(rest.rfind('.') + 1);
  const bool looks_like_an_address = std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; });
  bool is_name = rest.size() <= 253 && !looks_like_an_address;
  while (is_name) {
    const std::size_t dot = rest.find('.');
    is_name = is_label(rest.substr(0, dot));
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  return is_name ? "" : text + " is neither a DNS name nor an address";
}

std::string as_text(const MadeCertificate& made, const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
  std::string host = names.front();
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  if (host.starts_with("*.")) host.replace(0, 1, "www");
  const std::string files = made.certificate + " --key " + made.key;
  return made.certificate + "\n  for " + joined + "; valid until " + made.last_day + "\n" + made.key + "\n" +
         made.authority + "\n  the authority, " + (made.is_new_authority ? "new" : "as before") +
         "\n\nServe with them:\n  tern serve --certificate " + files + "\n  app.run({.tls = {.certificate = \"" +
         made.certificate + "\", .key = \"" + made.key + "\"}});" + "\n\nTrust the authority:\n  curl --cacert " +
         made.authority + " https://" + host + ":8080/\n  Debian:   sudo cp " + made.authority +
         " /usr/local/share/ca-certificates/tern-dev.crt && sudo update-ca-certificates\n  Fedora:   sudo trust "
         "anchor " +
         made.authority + "\n  Chromium: certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n tern-dev -i " + made.authority +
         "   (libnss3-tools)\n  Firefox:  Settings, Privacy & Security, View Certificates, Authorities, Import\n";
}

}  // namespace tern::command
