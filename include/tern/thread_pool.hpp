// ThreadPool, with or without a server.
#pragma once

#include <tern/net/thread_pool.hpp>
