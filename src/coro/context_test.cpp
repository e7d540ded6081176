// The context of coroutines: kept by waits, shared with offloaded functions and tasks of when_all, forked for spawned
// ones.
#include "coro/manual_executor.hpp"

#include <tern/coro/context.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tern::coro {
namespace {

using Log = std::vector<std::string>;

class NamedContext final : public Context {
public:
  explicit NamedContext(std::string called, int* forks = nullptr) : name(std::move(called)), forks_(forks) {
    if (forks_ != nullptr) ++*forks_;
  }
  ~NamedContext() override {
    if (forks_ != nullptr) --*forks_;
  }
  void record(const Step&) noexcept override {}
  base::Box<Context> fork() override { return base::Box<Context>(new NamedContext("fork of " + name, &living_forks)); }

  std::string name;
  int living_forks = 0;

private:
  int* forks_;
};

std::string current_name() {
  const auto* current = static_cast<const NamedContext*>(Context::current());
  return current == nullptr ? "none" : current->name;
}

Task<> noting(Log& log) {
  for (int i = 0; i < 3; ++i) {
    log.push_back(current_name());
    co_await yield();
  }
}
Task<> awaiting(Log& log) {
  co_await noting(log);
  log.push_back("after " + current_name());
}

TEST(Contexts, of_interleaved_coroutines_are_their_own) {
  ManualExecutor executor;
  NamedContext a("a");
  NamedContext b("b");
  Log of_a;
  Log of_b;
  Log of_none;
  std::vector<std::unique_ptr<StartedTask<>>> tasks;
  {
    const ContextScope scope(&a);
    tasks.push_back(std::make_unique<StartedTask<>>(awaiting(of_a)));
    EXPECT_EQ(current_name(), "a");
  }
  {
    const ContextScope scope(&b);
    tasks.push_back(std::make_unique<StartedTask<>>(awaiting(of_b)));
  }
  tasks.push_back(std::make_unique<StartedTask<>>(awaiting(of_none)));
  EXPECT_EQ(current_name(), "none");
  executor.run();
  EXPECT_EQ(current_name(), "none");
  EXPECT_EQ(of_a, (Log{"a", "a", "a", "after a"}));
  EXPECT_EQ(of_b, (Log{"b", "b", "b", "after b"}));
  EXPECT_EQ(of_none, (Log{"none", "none", "none", "after none"}));
}

TEST(Contexts, of_offloaded_functions_are_those_of_their_callers) {
  ManualExecutor executor;
  ManualPool pool;
  executor.pool = &pool;
  NamedContext a("a");
  Log log;
  const auto offloading = [](Log& to) -> Task<> {
    co_await offload([&to] { to.push_back("within " + current_name()); });
    to.push_back("after " + current_name());
  };
  Context* const before = Context::make_current(&a);
  StartedTask<> task(offloading(log));
  Context::make_current(before);
  pool.run_one();
  EXPECT_EQ(current_name(), "none");
  executor.run();
  EXPECT_EQ(log, (Log{"within a", "after a"}));
}

// Sets a context of its own until it has ended.
Task<> with_own(std::string name, Log& log) {
  NamedContext own(std::move(name));
  Context* const before = Context::make_current(&own);
  log.push_back("begin " + current_name());
  co_await yield();
  log.push_back("end " + current_name());
  Context::make_current(before);
}

TEST(Contexts, of_concurrent_tasks_begin_as_that_of_their_caller) {
  ManualExecutor executor;
  NamedContext a("a");
  Log log;
  const auto both = [](Log& to) -> Task<> {
    co_await when_all(with_own("first", to), noting(to), with_own("second", to));
    to.push_back("after " + current_name());
  };
  Context* const before = Context::make_current(&a);
  StartedTask<> task(both(log));
  Context::make_current(before);
  executor.run();
  EXPECT_EQ(log, (Log{"begin first", "a", "begin second", "end first", "a", "end second", "a", "after a"}));
  EXPECT_EQ(current_name(), "none");
}

TEST(Contexts, of_spawned_tasks_are_forks_that_end_with_them) {
  ManualExecutor executor;
  Scope scope;
  NamedContext a("a");
  Log log;
  {
    const ContextScope current(&a);
    scope.spawn(noting(log));
    EXPECT_EQ(current_name(), "a");
  }
  EXPECT_EQ(a.living_forks, 1);
  executor.run();
  EXPECT_EQ(log, (Log{"fork of a", "fork of a", "fork of a"}));
  EXPECT_EQ(a.living_forks, 0);
  {
    const ContextScope current(&a);
    scope.spawn(noting(log));
  }
  EXPECT_EQ(a.living_forks, 1);
  scope.clear();
  EXPECT_EQ(a.living_forks, 0);
}

TEST(Contexts, of_stopped_coroutines_are_restored_too) {
  ManualExecutor executor;
  NamedContext a("a");
  StopState stop;
  Log log;
  const auto waiting = [](Log& to) -> Task<> {
    try {
      co_await sleep_for(Seconds(10));
    } catch (const Cancelled&) {
      to.push_back("stopped " + current_name());
    }
  };
  Context* const before = Context::make_current(&a);
  StartedTask<> task(waiting(log), &stop);
  Context::make_current(before);
  stop.stop();
  executor.run();
  EXPECT_EQ(log, Log{"stopped a"});
}

}  // namespace
}  // namespace tern::coro
