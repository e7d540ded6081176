// Everything a service needs.
#pragma once

#include <tern/app/app.hpp>
#include <tern/app/blocking.hpp>
#include <tern/app/https_redirect.hpp>
#include <tern/app/produces.hpp>
#include <tern/async.hpp>
#include <tern/http/event_stream.hpp>
#include <tern/http/writer.hpp>
