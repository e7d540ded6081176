// Steps of the current context for what a database does, by OpenTelemetry's names ("Semantic Conventions for database
// client spans"). Without a context, as for requests without a trace, nothing is done.
#pragma once

#include <tern/coro/context.hpp>
#include <tern/coro/wait_log.hpp>

#include <cstdint>
#include <exception>
#include <string_view>

namespace tern::sql {

// A step whose end is recorded. Its views must outlive it. It keeps no context: what is recorded belongs to the one
// that is current at its end, so that an object with a step may outlive a request.
class TracedStep {
public:
  // `operation`: such as "select".
  TracedStep(std::string_view system, std::string_view operation, coro::StepValue detail) noexcept
      : system_(system), operation_(operation), detail_(detail) {}

  // Whether there is anything to record.
  static bool wanted() noexcept { return coro::Context::current() != nullptr; }

  void end() const noexcept { record({}, {}); }
  void fail(const std::exception_ptr& error) const noexcept;
  // For one whose rows are counted.
  void set_rows(std::int64_t rows) noexcept { rows_ = rows; }

private:
  void record(std::string_view state, std::string_view fault) const noexcept;

  std::string_view system_;
  std::string_view operation_;
  coro::StepValue detail_;
  std::int64_t rows_ = -1;  // none: not counted
  std::uint64_t began_ = coro::WaitLog::now();
};

// What a trace shows of a text that is a literal: others may have values in them.
std::string_view shown_text(std::string_view text, bool literal) noexcept;

}  // namespace tern::sql
