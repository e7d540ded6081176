// The component tern::config: options and structs from a file, the environment and the command line.
#pragma once

#include <tern/config/load.hpp>
#include <tern/config/type.hpp>
#include <tern/config/values.hpp>
