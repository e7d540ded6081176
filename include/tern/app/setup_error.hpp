// Mistakes of the program in setting up an App.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace tern {

// Errors in the setup of an App, each with its source location, the fault and the remedy. Errors of the registration
// are collected and thrown together at the start; registration after the start throws immediately.
class SetupError : public std::exception {
public:
  explicit SetupError(std::string what) : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }

private:
  std::string what_;
};

}  // namespace tern
