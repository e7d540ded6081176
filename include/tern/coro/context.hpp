// Context: what the running code works for, such as a request with a trace. It follows coroutines through their waits.
#pragma once

#include <tern/base/box.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace tern::coro {

// What is known of a step: a name, and a text or a number. Views, for the call.
struct StepValue {
  StepValue(std::string_view key, std::string_view value) noexcept : name(key), text(value), is_text(true) {}
  StepValue(std::string_view key, std::int64_t value) noexcept : name(key), number(value), is_text(false) {}

  std::string_view name;
  std::string_view text = {};
  std::int64_t number = 0;
  bool is_text;
};

// A step that ends now, such as a statement of a database.
struct Step {
  std::string_view name;
  std::uint64_t nanoseconds = 0;  // for how long it took
  std::string_view fault = {};    // why it did not work; empty: it did
  std::span<const StepValue> values = {};
};

// Each thread has a current context, or none. A wait keeps the context of its coroutine, and restores it; an offloaded
// function and the tasks of when_all() have that of their caller. A spawned task, which may outlive the request, has a
// fork of it. Implemented by components that look at requests, such as tern::observe.
//
// A context outlives the coroutines that have it. An object that starts a task of its own within the code of a request,
// and keeps it for longer, starts it in a ContextScope without context.
class Context {
public:
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  virtual ~Context() = default;

  // Of the code that runs now on this thread; null: none.
  static Context* current() noexcept;
  // Returns the previous one. See ContextScope.
  static Context* make_current(Context* context) noexcept;

  // Records a step of what this context is for. From any thread. Without memory, the step is missing.
  virtual void record(const Step& step) noexcept = 0;
  // A context that does not depend on the lifetime of this one. On the loop of the context; may throw std::bad_alloc.
  virtual base::Box<Context> fork() = 0;

protected:
  Context() = default;
};

// Makes a context (or none, if null) current, until its end. For code that calls or resumes what belongs to another.
class [[nodiscard]] ContextScope {
public:
  explicit ContextScope(Context* context) noexcept : previous_(Context::make_current(context)) {}
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  ~ContextScope() { Context::make_current(previous_); }

private:
  Context* previous_;
};

}  // namespace tern::coro
