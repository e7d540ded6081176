// Pages that load themselves again when the program was started anew, for the command `tern dev`.
#pragma once

#include <tern/app/app.hpp>

namespace tern {

// Whether `tern dev` has started this process; removes that from the environment, so that children do not see it.
bool take_reload();

// Adds to each HTML page of the app a script that reloads it: the script waits for events of this process, and when its
// connection has ended, for those of the next one. The events and the script are below /.tern/, in front of all other
// middleware. Pages that come compressed, or in parts, stay as they are.
void add_reload(App& app);

}  // namespace tern
