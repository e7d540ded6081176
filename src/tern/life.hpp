// What an app does around the serving, as the server's hooks.
#pragma once

#include "app/core.hpp"
#include "server/server.hpp"

namespace tern {

// App::every(): runs the work until it is stopped.
Task<> repeat(const app::Hooks::Repeated& repeated, server::Log& log);

// The hooks of on_start, on_stop and every(), for a server whose loops run them. Both outlive the hooks.
server::Hooks hooks_of(const app::Core& core, server::Server& server);

}  // namespace tern
