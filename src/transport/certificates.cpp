#include "transport/certificates.hpp"

#include "logging/log.hpp"

#include <sys/stat.h>
#include <chrono>
#include <exception>
#include <utility>

namespace tern::transport {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::hours ticket_period{1};

FileStamp stamp_of(const std::string& path) {
  struct stat status{};
  if (path.empty() || ::stat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size};
}

}  // namespace

Certificates::~Certificates() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ends_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::expected<Certificates::Context, std::string> Certificates::load(std::size_t listener, const std::string& name,
                                                                     const tls::Config& config) {
  Entry entry{listener, name, config, tls::Context::make_tickets(), {}, {}};
  entry.tried = entry.seen = stamps_of(config);  // before reading: changes meanwhile are noticed later
  auto context = tls::Context::make(config, entry.tickets);
  if (!context) return std::unexpected(std::move(context.error()));
  const std::lock_guard lock(loading_);
  entries_.push_back(std::move(entry));
  return *context;
}

void Certificates::watch(Use use) {
  const std::lock_guard lock(loading_);
  use_ = std::move(use);
  if (!entries_.empty()) thread_ = std::thread([this] { run(); });
}

void Certificates::run() {
  Clock::time_point rotate_at = Clock::now() + ticket_period;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (ends_.wait_for(lock, std::chrono::milliseconds(period_.count()), [this] { return ending_; })) return;
    }
    try {
      look();
      if (Clock::now() < rotate_at) continue;
      rotate_at += ticket_period;
      for (const Entry& entry : entries_) tls::Context::rotate(*entry.tickets);
    } catch (...) {
      log_.failure("looking after certificates failed", std::current_exception(), "tls");
    }
  }
}

// Loads files that have changed and have been the same in two looks, so that certificate and key may be written one
// after the other.
void Certificates::look() {
  const std::lock_guard lock(loading_);
  std::string faults;  // already logged
  for (Entry& entry : entries_) {
    Stamps now = stamps_of(entry.config);
    const bool changed = now != entry.tried && now == entry.seen;
    entry.seen = std::move(now);
    if (changed) load_again(entry, faults);
  }
}

std::string Certificates::reload() {
  const std::lock_guard lock(loading_);
  std::string faults;
  for (Entry& entry : entries_) load_again(entry, faults);
  return faults;
}

void Certificates::load_again(Entry& entry, std::string& faults) {
  Stamps tried = stamps_of(entry.config);
  const auto context = tls::Context::make(entry.config, entry.tickets);
  if (!context) {
    log_.error("the certificates of " + entry.name + " stay as they were: " + context.error(), "tls");
    faults += (faults.empty() ? "" : "; ") + context.error();
    entry.tried = std::move(tried);
    return;
  }
  if (use_) use_(entry.listener, *context);
  entry.tried = std::move(tried);  // not after a failed allocation: the next check tries again
  log_.write(LogLevel::Info, "the certificates of " + entry.name + " are loaded again", "tls");
}

Certificates::Stamps Certificates::stamps_of(const tls::Config& config) {
  Stamps stamps;
  for (const TlsCertificate& pair : config.certificates) {
    for (const std::string* path : {&pair.certificate, &pair.key, &pair.ocsp}) stamps.push_back(stamp_of(*path));
  }
  stamps.push_back(stamp_of(config.client_ca));
  return stamps;
}

}  // namespace tern::transport
