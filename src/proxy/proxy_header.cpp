#include "proxy/proxy_header.hpp"

#include <tern/base/number.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>

namespace tern::proxy {
namespace {

using namespace std::string_view_literals;
using State = ProxyHeader::State;

constexpr std::string_view signature1 = "PROXY ";
constexpr std::string_view signature2 = "\r\n\r\n\0\r\nQUIT\n"sv;
constexpr std::size_t longest1 = 107;   // with its CRLF
constexpr std::size_t longest2 = 4096;  // of addresses and further data of the load balancer
constexpr std::size_t fixed2 = 16;      // before the addresses
constexpr std::size_t inet_size = 12;   // of two addresses and two ports
constexpr std::size_t inet6_size = 36;

constexpr ProxyHeader malformed{.state = State::Malformed};

// Cuts the first word off.
std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(word.size() + 1, text.size()));
  return word;
}

std::optional<net::Address> parse_address(std::string_view host, std::string_view port, net::Address::Family family) {
  const auto number = base::parse_integer<std::uint16_t>(port);
  if (!number || host == "localhost" || host.starts_with('[')) return std::nullopt;
  const auto address = net::Address::parse(host, *number);
  return address && address->family() == family ? address : std::nullopt;
}

// "PROXY TCP4 192.0.2.1 192.0.2.2 4711 443", or "PROXY UNKNOWN" and anything.
ProxyHeader read1(std::string_view bytes) {
  const std::size_t end = bytes.substr(0, longest1).find("\r\n");
  if (end == std::string_view::npos) return bytes.size() < longest1 ? ProxyHeader{} : malformed;
  ProxyHeader header{.state = State::Complete, .size = end + 2};
  std::string_view line = bytes.substr(signature1.size(), end - signature1.size());
  const std::string_view kind = take_word(line);
  if (kind == "UNKNOWN") return header;
  if (kind != "TCP4" && kind != "TCP6") return malformed;
  const auto family = kind == "TCP4" ? net::Address::Family::Inet : net::Address::Family::Inet6;
  const std::string_view source = take_word(line);
  const std::string_view target = take_word(line);
  const std::string_view source_port = take_word(line);
  header.client = parse_address(source, source_port, family);
  if (!header.client || !parse_address(target, line, family)) return malformed;
  return header;
}

std::uint16_t number_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[at]) << 8U |
                                    static_cast<unsigned char>(bytes[at + 1]));
}

// Two addresses of `size` bytes, then two ports; the first of each is the client's.
net::Address address_in(std::string_view bytes, std::size_t size) {
  std::array<unsigned char, 16> address{};
  std::memcpy(address.data(), bytes.data(), size);
  return net::Address::from(std::span<const unsigned char>(address).first(size), number_at(bytes, 2 * size));
}

ProxyHeader read2(std::string_view bytes) {
  if (bytes.size() < fixed2) return {};
  const auto version_and_command = static_cast<unsigned char>(bytes[12]);
  const auto family = static_cast<unsigned char>(bytes[13]);
  const std::size_t rest = number_at(bytes, 14);
  if (version_and_command >> 4U != 2 || (version_and_command & 15U) > 1 || rest > longest2) return malformed;
  if (bytes.size() < fixed2 + rest) return {};
  ProxyHeader header{.state = State::Complete, .size = fixed2 + rest};
  const std::string_view addresses = bytes.substr(fixed2, rest);
  if ((version_and_command & 15U) == 0) return header;  // LOCAL: a health check
  switch (family) {
    case 0x11:
      if (rest < inet_size) return malformed;
      header.client = address_in(addresses, 4);
      break;
    case 0x21:
      if (rest < inet6_size) return malformed;
      header.client = address_in(addresses, 16);
      break;
    case 0x31: header.client = net::Address::unix_socket(); break;
    default: break;  // unspecified, or datagrams: no address
  }
  return header;
}

}  // namespace

ProxyHeader read_proxy_header(std::string_view bytes) {
  const auto begins = [bytes](std::string_view signature) {
    return bytes.substr(0, signature.size()) == signature.substr(0, bytes.size());
  };
  if (begins(signature2)) return read2(bytes);
  if (!begins(signature1)) return malformed;
  return bytes.size() < signature1.size() ? ProxyHeader{} : read1(bytes);
}

std::size_t ProxyStream::on_bytes(std::span<const char> bytes) {
  const ProxyHeader header = read_proxy_header({bytes.data(), bytes.size()});
  if (header.state == State::Incomplete) return 0;
  if (header.state == State::Malformed) {
    stream_.abort();
    return bytes.size();
  }
  stream_.hand_over(next_, header.client.value_or(stream_.remote()));
  const std::span<const char> rest = bytes.subspan(header.size);
  return header.size + (rest.empty() ? 0 : next_.on_bytes(rest));
}

}  // namespace tern::proxy
