// Everything a service needs.
#pragma once

#include <version>
#ifndef __cpp_lib_expected
#error "tern: needs std::expected of C++23: GCC 12.2, or Clang 16; before Clang 19 add -D__cpp_concepts=202002L"
#endif

#include <tern/app/app.hpp>
#include <tern/app/blocking.hpp>
#include <tern/app/https_redirect.hpp>
#include <tern/app/produces.hpp>
#include <tern/async.hpp>
#include <tern/http/event_stream.hpp>
#include <tern/http/writer.hpp>
