#include "command/certificate.hpp"

#include "web/openssl.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tern::command {
namespace {

namespace fs = std::filesystem;

using OwnedExtension = std::unique_ptr<X509_EXTENSION, web::OpenSslFree<X509_EXTENSION_free>>;
using OwnedStore = std::unique_ptr<X509_STORE, web::OpenSslFree<X509_STORE_free>>;
using OwnedVerification = std::unique_ptr<X509_STORE_CTX, web::OpenSslFree<X509_STORE_CTX_free>>;

constexpr int authority_days = 10 * 365;

struct Issued {
  web::OpenSslCertificate certificate;
  web::OpenSslKey key;
};

void check(bool good) {
  if (good) return;
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  throw std::runtime_error(std::string("OpenSSL: ") + (reason != nullptr ? reason : "an error without a name"));
}

std::string kind_of(const std::string& name) {
  in6_addr bytes;
  const bool is_address =
      ::inet_pton(AF_INET, name.c_str(), &bytes) == 1 || ::inet_pton(AF_INET6, name.c_str(), &bytes) == 1;
  return is_address ? "IP" : "DNS";
}

// --- Certificates ---

void extend(X509* certificate, X509* issuer, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const OwnedExtension extension(X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
  check(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
}

// With a key, a random serial number, and its time; without a subject.
Issued blank(int days) {
  Issued issued{web::OpenSslCertificate(X509_new()), web::OpenSslKey(EVP_EC_gen("P-256"))};
  X509* certificate = issued.certificate.get();
  check(certificate != nullptr && issued.key != nullptr && X509_set_version(certificate, X509_VERSION_3) == 1);
  const web::OpenSslNumber serial(BN_new());
  check(serial != nullptr && BN_rand(serial.get(), 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
        BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) != nullptr);
  // The clocks of containers and other machines may be behind.
  check(X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != nullptr &&
        X509_time_adj_ex(X509_getm_notAfter(certificate), days, 0, nullptr) != nullptr &&
        X509_set_pubkey(certificate, issued.key.get()) == 1);
  return issued;
}

void add_to_subject(X509* certificate, const char* what, const std::string& value) {
  check(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), what, MBSTRING_UTF8, web::bytes_of(value), -1,
                                   -1, 0) == 1);
}

// What an authority may sign for: local names and addresses, and `names`.
std::string constraints(const std::vector<std::string>& names) {
  std::string text = "critical";
  for (const char* domain : {"localhost", "test", "local", "internal", "home.arpa"})
    text += std::string(",permitted;DNS:") + domain;
  for (const char* network :
       {"127.0.0.0/255.0.0.0", "10.0.0.0/255.0.0.0", "172.16.0.0/255.240.0.0", "192.168.0.0/255.255.0.0",
        "169.254.0.0/255.255.0.0", "::1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fc00::/fe00::", "fe80::/ffc0::"})
    text += std::string(",permitted;IP:") + network;
  for (const std::string& name : names) {
    if (kind_of(name) == "DNS") {
      text += ",permitted;DNS:" + (name.starts_with("*.") ? name.substr(2) : name);
    } else {
      const bool is_long = name.find(':') != std::string::npos;
      text += ",permitted;IP:" + name + (is_long ? "/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" : "/255.255.255.255");
    }
  }
  return text;
}

Issued new_authority(const std::vector<std::string>& names) {
  Issued made = blank(authority_days);
  X509* certificate = made.certificate.get();
  std::array<unsigned char, 4> bytes;
  check(RAND_bytes(bytes.data(), bytes.size()) == 1);
  char mark[9];
  std::snprintf(mark, sizeof mark, "%02x%02x%02x%02x", bytes[0], bytes[1], bytes[2], bytes[3]);
  add_to_subject(certificate, "O", "Tern development");
  // Stores of certificates tell authorities apart by their names.
  add_to_subject(certificate, "CN", std::string("Tern development authority ") + mark);
  check(X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) == 1);
  extend(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  extend(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
  extend(certificate, certificate, NID_subject_key_identifier, "hash");
  extend(certificate, certificate, NID_name_constraints, constraints(names));
  check(X509_sign(certificate, made.key.get(), EVP_sha256()) != 0);
  return made;
}

Issued sign(const Issued& authority, const std::vector<std::string>& names, int days) {
  Issued made = blank(days);
  X509* certificate = made.certificate.get();
  X509* issuer = authority.certificate.get();
  if (ASN1_TIME_compare(X509_get0_notAfter(certificate), X509_get0_notAfter(issuer)) > 0)
    check(X509_set1_notAfter(certificate, X509_get0_notAfter(issuer)) == 1);
  // No common name: constraints would apply to it as to a DNS name.
  add_to_subject(certificate, "O", "Tern development certificate");
  check(X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1);
  extend(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE");
  extend(certificate, issuer, NID_key_usage, "critical,digitalSignature");
  extend(certificate, issuer, NID_ext_key_usage, "serverAuth");
  extend(certificate, issuer, NID_subject_key_identifier, "hash");
  extend(certificate, issuer, NID_authority_key_identifier, "keyid");
  std::string alternatives;
  for (const std::string& name : names) alternatives += (alternatives.empty() ? "" : ",") + kind_of(name) + ":" + name;
  extend(certificate, issuer, NID_subject_alt_name, alternatives);
  check(X509_sign(certificate, authority.key.get(), EVP_sha256()) != 0);
  return made;
}

// As a client that trusts the authority does. Empty if it accepts.
std::string client_fault(const Issued& made, const Issued& authority) {
  const OwnedStore store(X509_STORE_new());
  const OwnedVerification verification(X509_STORE_CTX_new());
  check(store != nullptr && verification != nullptr &&
        X509_STORE_add_cert(store.get(), authority.certificate.get()) == 1);
  check(X509_STORE_CTX_init(verification.get(), store.get(), made.certificate.get(), nullptr) == 1);
  check(X509_STORE_CTX_set_default(verification.get(), "ssl_server") == 1);
  if (X509_verify_cert(verification.get()) == 1) return {};
  const int error = X509_STORE_CTX_get_error(verification.get());
  if (error == X509_V_ERR_PERMITTED_VIOLATION) return "does not sign for one of the names";
  return std::string("cannot be used: ") + X509_verify_cert_error_string(error);
}

std::string last_day(const X509* certificate) {
  std::tm parts{};
  check(ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) == 1);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

// --- Files ---

std::string pem_of(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::string pem(const web::OpenSslCertificate& certificate) {
  const web::OpenSslBio bio(BIO_new(BIO_s_mem()));
  check(bio != nullptr && PEM_write_bio_X509(bio.get(), certificate.get()) == 1);
  return pem_of(bio.get());
}

std::string pem(const web::OpenSslKey& key) {
  const web::OpenSslBio bio(BIO_new(BIO_s_mem()));
  check(bio != nullptr &&
        PEM_write_bio_PKCS8PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return pem_of(bio.get());
}

// Replaces it at once: a server that watches its files sees either. The mode is that of the file from its beginning.
void write(const fs::path& path, const std::string& content, ::mode_t mode) {
  const auto fail = [](const fs::path& what) {
    throw std::system_error(errno, std::generic_category(), "cannot write " + what.string());
  };
  const std::string temporary = path.string() + ".new";
  ::unlink(temporary.c_str());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0) fail(temporary);
  const ssize_t written = ::write(descriptor, content.data(), content.size());
  const int error = written == static_cast<ssize_t>(content.size()) ? 0 : written < 0 ? errno : ENOSPC;
  const bool is_closed = ::close(descriptor) == 0;
  if (error == 0 && is_closed && ::rename(temporary.c_str(), path.c_str()) == 0) return;
  if (error != 0) errno = error;
  const int reason = errno;
  ::unlink(temporary.c_str());
  errno = reason;
  fail(path);
}

// Instead of asking for the passphrase on the terminal.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

Issued read_authority(const std::string& certificate, const std::string& key) {
  const auto open = [](const std::string& path) {
    web::OpenSslBio bio(BIO_new_file(path.c_str(), "r"));
    if (bio == nullptr) throw std::runtime_error("cannot read " + path);
    return bio;
  };
  Issued authority;
  authority.certificate.reset(PEM_read_bio_X509(open(certificate).get(), nullptr, nullptr, nullptr));
  if (authority.certificate == nullptr) throw std::runtime_error(certificate + " has no certificate");
  authority.key.reset(PEM_read_bio_PrivateKey(open(key).get(), nullptr, no_passphrase, nullptr));
  if (authority.key == nullptr) throw std::runtime_error(key + " has no key without a passphrase");
  if (X509_check_private_key(authority.certificate.get(), authority.key.get()) != 1)
    throw std::runtime_error(key + " is not the key of " + certificate);
  return authority;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  if (!fs::create_directories(folder, error)) {
    if (error) throw std::runtime_error("cannot make the folder " + folder.string() + ": " + error.message());
    return;
  }
  write(folder / ".gitignore", "# Keys are not for a repository.\n*\n", 0644);  // only in a folder of its own
}

}  // namespace

MadeCertificate make_certificate(const CertificateArguments& arguments) {
  const fs::path folder = arguments.folder;
  const fs::path authority_folder = arguments.authority_folder.empty() ? folder : fs::path(arguments.authority_folder);
  MadeCertificate made = {
      .certificate = folder / "cert.pem", .key = folder / "key.pem", .authority = authority_folder / "ca.pem"};
  const std::string authority_key = authority_folder / "ca-key.pem";
  for (const std::string& path : {made.certificate, made.key}) {
    if (fs::exists(path) && !arguments.replace) throw std::runtime_error(path + " exists; --force replaces it");
  }
  made.is_new_authority = !fs::exists(made.authority);
  if (made.is_new_authority == fs::exists(authority_key)) {
    const bool has_key = made.is_new_authority;
    throw std::runtime_error("there is " + (has_key ? authority_key : made.authority) + " without " +
                             (has_key ? made.authority : authority_key) + ": name another folder by --ca");
  }

  const Issued authority =
      made.is_new_authority ? new_authority(arguments.names) : read_authority(made.authority, authority_key);
  const Issued issued = sign(authority, arguments.names, arguments.days);
  if (const std::string fault = client_fault(issued, authority); !fault.empty())
    throw std::runtime_error("the authority " + made.authority + " " + fault + "; --ca names the folder of another");
  made.last_day = last_day(issued.certificate.get());

  make_folder(folder);
  make_folder(authority_folder);
  if (made.is_new_authority) {
    write(authority_key, pem(authority.key), 0600);
    write(made.authority, pem(authority.certificate), 0644);
  }
  write(made.key, pem(issued.key), 0600);
  write(made.certificate, pem(issued.certificate), 0644);
  return made;
}

}  // namespace tern::command
