// The exception of an await whose coroutine was stopped.
#pragma once

#include <exception>

namespace tern {

// Thrown from an await when the stop token has fired: the client has disconnected, or the work was cancelled. Do not
// catch it, or rethrow it.
class Cancelled : public std::exception {
public:
  const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace tern
