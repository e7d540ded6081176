#include "load/run.hpp"

#include "load/plain_channel.hpp"
#include "load/run_engine.hpp"

#include <tern/base/ascii.hpp>

#include <signal.h>
#include <sys/resource.h>
#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace tern::load {
namespace {

bool is_value(std::string_view text) {
  return std::ranges::none_of(text,
                              [](char c) { return (static_cast<unsigned char>(c) < 32 && c != '\t') || c == 127; });
}

void take_all_descriptors() {
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

void check_request(const LoadOptions& options) {
  if (!base::is_token(options.method))
    throw std::invalid_argument("a method is a word, such as POST: " + options.method);
  for (const auto& [name, value] : options.fields) {
    if (!base::is_token(name) || !is_value(value))
      throw std::invalid_argument("no field can be sent as " + name + ": " + value);
  }
}

bool has_content(const LoadOptions& options) {
  return !options.content.empty() || options.method == "POST" || options.method == "PUT";
}

std::string request_text(const LoadOptions& options) {
  const Target target = parse_target(options.url);
  check_request(options);
  std::string text = options.method + " " + target.path + " HTTP/1.1\r\n";
  bool has_host = false;
  for (const auto& [name, value] : options.fields) {
    has_host = has_host || base::equals_ignoring_case(name, "host");
    text.append(name).append(": ").append(value).append("\r\n");
  }
  if (!has_host) text += "Host: " + target.origin + "\r\n";
  if (has_content(options)) text += "Content-Length: " + std::to_string(options.content.size()) + "\r\n";
  return text + "\r\n" + options.content;
}

LoadReport run(const LoadOptions& options) {
  const Target target = parse_target(options.url);
  const Address address = choose(resolve(target));
  ::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to sockets that servers have closed
  take_all_descriptors();
  if (target.tls) return run_tls(options, target, address);
  return run_engine<PlainChannel>(options, target, [&address] { return PlainChannel(connect_to(address)); });
}

}  // namespace tern::load
