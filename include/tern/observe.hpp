// The component tern::observe: metrics, traces, health and the admin address.
#pragma once

#include <tern/observe/admin.hpp>
#include <tern/observe/dashboard.hpp>
#include <tern/observe/health.hpp>
#include <tern/observe/metrics.hpp>
#include <tern/observe/tracing.hpp>
