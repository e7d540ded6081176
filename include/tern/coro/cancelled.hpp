// What an await ends with when nobody waits for its result any more.
#pragma once

#include <exception>

namespace tern {

// Thrown from an await when the stop token has fired: the client has gone, or somebody gave the work up. Let it pass.
class Cancelled : public std::exception {
public:
  const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace tern
