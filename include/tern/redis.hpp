// The component tern::redis: Redis as the bus between servers.
#pragma once

#include <tern/redis/bus.hpp>
