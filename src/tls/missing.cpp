// Replaces this room in builds without TLS. No Context can be made, and therefore no Session.
#include "tls/context.hpp"
#include "tls/session.hpp"

#include <tern/base/expects.hpp>

#include <utility>

namespace tern::tls {
namespace {

[[noreturn]] void unreachable() {
  base::invariant_broken("there are no sessions without TLS", __builtin_FILE(), __builtin_LINE());
}

}  // namespace

struct ContextParts {};
struct Wire {};
class TicketKeys {};

Context::Context(std::unique_ptr<const ContextParts> parts) : parts_(std::move(parts)) {}
Context::~Context() = default;

std::expected<std::shared_ptr<const Context>, std::string> Context::make(const Config&, std::shared_ptr<TicketKeys>) {
  return std::unexpected("this library was built without TLS (TERN_TLS)");
}
std::shared_ptr<TicketKeys> Context::make_tickets() {
  return nullptr;
}
void Context::rotate(TicketKeys&) {}

Session::Session(std::shared_ptr<const Context> context) : context_(std::move(context)) {
  unreachable();
}
Session::~Session() = default;
std::size_t Session::receive(std::string_view, std::span<char>, std::string&) {
  unreachable();
}
bool Session::send(std::string_view, std::string&) {
  unreachable();
}
void Session::close(std::string&) {}
std::string_view Session::protocol() const {
  unreachable();
}
std::string_view Session::version() const {
  unreachable();
}
std::string_view Session::cipher() const {
  unreachable();
}
std::string_view Session::server_name() const {
  unreachable();
}
bool Session::resumed() const {
  unreachable();
}
std::optional<ClientCertificate> Session::client_certificate() const {
  unreachable();
}

}  // namespace tern::tls
