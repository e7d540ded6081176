// Errors of a setup, collected until the start reports all of them.
#pragma once

#include <tern/app/app.hpp>

#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::app {

class Mistakes {
public:
  // Adds `what`, prefixed with `place` if that is known.
  void add(const std::source_location& place, std::string_view what) {
    std::string line;
    if (place.line() != 0) line = std::string(place.file_name()) + ":" + std::to_string(place.line()) + ": ";
    lines_.push_back(line.append(what));
  }

  void append(const Mistakes& others) { lines_.insert(lines_.end(), others.lines_.begin(), others.lines_.end()); }

  void throw_if_any() const {
    if (lines_.empty()) return;
    if (lines_.size() == 1) throw SetupError(lines_.front());
    std::string all = std::to_string(lines_.size()) + " mistakes in the setup:";
    for (const std::string& line : lines_) all.append("\n  ").append(line);
    throw SetupError(std::move(all));
  }

private:
  std::vector<std::string> lines_;
};

}  // namespace tern::app
