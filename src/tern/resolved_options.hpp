// Options of the user as settings of a server: checked, and with numbers for zeros.
#pragma once

#include "exchange/settings.hpp"
#include "transport/listener_config.hpp"

#include <tern/app/options.hpp>

#include <string>
#include <vector>

namespace tern {

// Each throws SetupError, naming the option, for what no server can have.
exchange::Settings settings_of(const Options& options, unsigned loops);
std::vector<transport::ListenerConfig> listeners_of(const Options& options);

// For App::apply(): copies to `settings` what a running server cannot change.
void keep_what_cannot_change(const exchange::Settings& running, exchange::Settings& settings);
std::vector<std::string> differences_that_need_a_restart(const Options& running, const Options& options);

}  // namespace tern
