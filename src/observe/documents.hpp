// What the admin address and the dashboard both show, as JSON.
#pragma once

#include "observe/observatory.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tern::observe {

struct LevelDocument {
  std::string level;
  std::optional<std::string> part = {};  // none: all parts without a level of their own
};
struct LevelsDocument {
  std::string level;
  std::vector<LevelDocument> parts;
};
// A step of a request, and the request itself.
struct SpanDocument {
  std::string trace_id;
  std::string span_id;
  std::string parent_id;
  std::string name;
  double start = 0;  // seconds since 1970
  double milliseconds = 0;
  bool failed = false;
  std::string fault;
};

// Throws HttpError if none runs.
http::ServerView& running(const Observatory& observatory);
LevelsDocument levels_of(const Observatory& observatory);
// Throws HttpError for what is no level.
LevelsDocument set_level(const Observatory& observatory, const LevelDocument& wanted);
std::vector<std::vector<SpanDocument>> traces_of(const Observatory& observatory);

// Whether it is the address of this machine.
bool is_loopback(std::string_view host) noexcept;
// Whether the client is on this machine.
bool is_local(const Request& request);
// Throws HttpError unless the host of the request is an address or "localhost". Protects a loopback address from web
// pages whose name was made to lead to it (DNS rebinding).
void require_own_host(const Request& request);

}  // namespace tern::observe
