// Everything a service needs.
#pragma once

#include <tern/app/app.hpp>
#include <tern/async.hpp>
