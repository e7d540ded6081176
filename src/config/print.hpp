// What a configuration prints of itself.
#pragma once

#include "config/bind.hpp"
#include "config/leaf.hpp"

#include <tern/config/load.hpp>

#include <string>
#include <vector>

namespace tern::configuration {

// Each setting of `object`, in the order of the struct.
std::vector<Setting> settings_of(const std::vector<Leaf>& leaves, const Type& type, const void* object,
                                 const Binder& binder);
// For --check: a TOML file with the origin of each value behind it, without secrets.
std::string effective(const std::vector<Setting>& settings);
// For --help. `defaults` are the settings of a new object.
std::string help(const ConfigOptions& options, const std::vector<Leaf>& leaves, const std::vector<Setting>& defaults);

}  // namespace tern::configuration
