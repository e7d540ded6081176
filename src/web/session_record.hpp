// What a store or a cookie has of a session, as bytes:
//
//   record = format(1) begun(8) seen(8) text(user) text(epoch) text(id) text(data) *(text(kind) text(message))
//   text   = length(4) bytes
//
// Numbers are big-endian. The pairs at the end are flash messages.
#pragma once

#include <tern/web/open_session.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace tern::web {

std::string to_bytes(const SessionRecord& record);
// Unset for anything that to_bytes() does not make.
std::optional<SessionRecord> read_session_record(std::string_view bytes);

}  // namespace tern::web
