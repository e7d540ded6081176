// The component tern::redis: a client of Redis, state that servers share, and Redis as the bus between servers.
#pragma once

#include <tern/redis/blocking.hpp>
#include <tern/redis/bus.hpp>
#include <tern/redis/cache.hpp>
#include <tern/redis/client.hpp>
#include <tern/redis/rate_store.hpp>
#include <tern/redis/store.hpp>
#include <tern/redis/subscription.hpp>
