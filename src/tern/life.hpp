// Connects an app's hooks with the server's.
#pragma once

#include "app/core.hpp"
#include "server/server.hpp"

namespace tern {

// App::every(): runs the work until it is stopped.
Task<> repeat(const app::Hooks::Repeated& repeated, logging::Log& log);

// The hooks of on_start, on_stop and every(), for a server. Both must outlive the hooks.
server::Hooks hooks_of(const app::Core& core, server::Server& server);

}  // namespace tern
