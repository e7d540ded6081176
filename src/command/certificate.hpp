// tern cert: a certificate authority for development, and certificates of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tern::command {

struct CertificateArguments {
  std::vector<std::string> names = {"localhost", "127.0.0.1", "::1"};  // DNS names and addresses
  std::string folder = "dev-cert";                                     // of cert.pem and key.pem
  std::string authority_folder = {};                                   // of ca.pem and ca-key.pem; empty: `folder`
  int days = 365;                                                      // that the certificate is valid
  bool replace = false;  // an existing cert.pem and key.pem; an authority is never replaced
};

struct MadeCertificate {
  std::string certificate = {};  // paths
  std::string key = {};
  std::string authority = {};
  bool is_new_authority = false;
  std::string last_day = {};  // "2027-11-25"
};

// Why a certificate cannot have that name; empty if it can.
std::string certificate_name_fault(std::string_view name);

// Writes a key (EC P-256) and a certificate that the authority has signed, and the authority if there is none in its
// folder. Keys are readable for their owner only. An authority signs for names and addresses of local networks and for
// the `names` it was made with (RFC 5280, 4.2.1.10), so that its key is worth little to others.
// Throws std::runtime_error if files exist that are not to be replaced, before it has written anything; if the
// authority does not sign for a name, has expired, or cannot be read; if a file cannot be written; in builds without
// TLS.
MadeCertificate make_certificate(const CertificateArguments& arguments);

// What has been made, and how servers and clients use it. `names` are those of the certificate.
std::string as_text(const MadeCertificate& made, const std::vector<std::string>& names);

}  // namespace tern::command
