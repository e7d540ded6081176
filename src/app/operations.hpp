// The routes of an App as the OpenAPI document needs them.
#pragma once

#include <tern/app/contract.hpp>
#include <tern/app/route_notes.hpp>
#include <tern/http/method.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tern::app {

class Core;

// Views into a Core whose setup is complete.
struct OperationEntry {
  struct Middleware {
    void (*describe)(const void* object, Operation& operation);
    const void* object;
  };
  Method method = Method::Get;
  std::string extension_method = {};
  std::string pattern = {};
  std::string name = {};   // empty: none
  std::string group = {};  // the name of the groups around it; empty: none
  const Contract* contract = nullptr;
  const Core* owner = nullptr;                // whose error mappings apply
  std::vector<const RouteNotes*> notes = {};  // its own, if any, then those of the groups around it
  std::vector<Middleware> middleware = {};    // those that describe themselves
  std::string_view media_type = {};           // of produces(); empty: the type of the result
  bool is_negotiated = false;                 // by Accept
  bool is_socket = false;
  bool deny_unknown = false;      // of members of JSON
  bool renders_problems = false;  // not as application/problem+json
};

}  // namespace tern::app
