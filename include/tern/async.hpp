// Awaitables for handlers and background tasks, and their cancellation.
#pragma once

#include <tern/coro/awaitable.hpp>
#include <tern/coro/cancelled.hpp>
#include <tern/coro/channel.hpp>
#include <tern/coro/event.hpp>
#include <tern/coro/offload.hpp>
#include <tern/coro/scope.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/coro/task.hpp>
#include <tern/coro/timeout.hpp>
#include <tern/coro/when.hpp>
