// Passwords: hashes of Argon2id, upgrades, work for unknown users, and a flood of them.
#include "web/bounded_offloader.hpp"

#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/thread_pool.hpp>
#include <tern/web/passwords.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <future>
#include <latch>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tern::web {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr PasswordOptions cheap = {.memory_kib = 64, .iterations = 1};

// Without a loop, the work is done by the call.
template <class T>
T now_of(Task<T> task) {
  EXPECT_TRUE(task.start([](void*) {}, nullptr));
  return task.result();
}

TEST(Passwords, are_hashed_into_phc_strings_with_a_random_salt) {
  const Passwords passwords;
  const std::string one = now_of(passwords.hash("correct horse"));
  EXPECT_THAT(one, StartsWith("$argon2id$v=19$m=19456,t=2,p=1$"));
  EXPECT_NE(one, now_of(passwords.hash("correct horse")));
  EXPECT_EQ(now_of(passwords.verify("correct horse", one)), PasswordCheck::Right);
  EXPECT_EQ(now_of(passwords.verify("correct horsf", one)), PasswordCheck::Wrong);
  EXPECT_EQ(now_of(passwords.verify("", one)), PasswordCheck::Wrong);
}

TEST(Passwords, are_bytes_of_any_value) {
  const Passwords passwords(cheap);
  const std::string password("a\0b\xFF", 4);
  const std::string hash = now_of(passwords.hash(password));
  EXPECT_EQ(now_of(passwords.verify(password, hash)), PasswordCheck::Right);
  EXPECT_EQ(now_of(passwords.verify("a", hash)), PasswordCheck::Wrong);
}

TEST(Passwords, verifies_hashes_of_another_implementation) {
  // By the reference command: printf password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32 -e
  const Passwords passwords(cheap);
  const std::string_view hash =
      "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  EXPECT_EQ(now_of(passwords.verify("password", hash)), PasswordCheck::Outdated);
  EXPECT_EQ(now_of(passwords.verify("passwore", hash)), PasswordCheck::Wrong);
}

TEST(Passwords, are_outdated_when_parameters_change) {
  const std::string hash = now_of(Passwords(cheap).hash("sesame"));
  for (const PasswordOptions& changed :
       {PasswordOptions{.memory_kib = 128, .iterations = 1}, PasswordOptions{.memory_kib = 64, .iterations = 2},
        PasswordOptions{.memory_kib = 64, .iterations = 1, .parallelism = 2}}) {
    EXPECT_EQ(now_of(Passwords(changed).verify("sesame", hash)), PasswordCheck::Outdated);
    EXPECT_EQ(now_of(Passwords(changed).verify("other", hash)), PasswordCheck::Wrong);
  }
  EXPECT_EQ(now_of(Passwords(cheap).verify("sesame", hash)), PasswordCheck::Right);
}

TEST(Passwords, of_unknown_users_and_with_malformed_hashes_are_wrong) {
  const Passwords passwords(cheap);
  EXPECT_EQ(now_of(passwords.verify("sesame", std::nullopt)), PasswordCheck::Wrong);
  for (const std::string_view stored : {"", "!", "sesame", "$argon2id$", "$argon2id$v=19$m=64,t=1,p=1$$",
                                        "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
                                        "$argon2id$v=19$m=99999999999,t=1,p=1$c29tZXNhbHQ$AAAA", "$2b$10$abcdefghijk",
                                        "$2b$", "$6$", "$y$", "*0", "*1"}) {
    EXPECT_EQ(now_of(passwords.verify("sesame", stored)), PasswordCheck::Wrong) << stored;
  }
}

// CPU time of this process: the least of some calls.
std::clock_t cost_of_verifying(const Passwords& passwords, std::optional<std::string_view> stored) {
  auto least = std::numeric_limits<std::clock_t>::max();
  for (int i = 0; i < 5; ++i) {
    const std::clock_t begin = std::clock();
    EXPECT_EQ(now_of(passwords.verify("sesame", stored)), PasswordCheck::Wrong);
    least = std::min(least, std::clock() - begin);
  }
  return least;
}

// Otherwise the time would tell which names are known: without the work, it is less by a factor of a thousand.
TEST(Passwords, of_unknown_users_take_as_long_as_wrong_ones) {
  const Passwords passwords({.memory_kib = 8192, .iterations = 1});
  const std::string stored = now_of(passwords.hash("another"));
  const auto wrong = cost_of_verifying(passwords, stored);
  EXPECT_GT(cost_of_verifying(passwords, std::nullopt) * 3, wrong);
  EXPECT_GT(cost_of_verifying(passwords, "!") * 3, wrong);
}

// bcrypt by htpasswd, SHA-crypt by `openssl passwd`, scrypt from its specification, yescrypt by libcrypt itself.
constexpr std::string_view foreign_hashes[] = {
    "$2y$04$Zfy2zQJAiATFOHeLBIC6lOffWsrETp8.K4.xlNWeVlvIPnMCuvk3a",
    "$2b$04$abcdefghijklmnopqrstuuinwY/tkBVrn3xrxQI/TgnMHhkvl85RW",
    "$5$saltsalt$Arv3XkXcPR5LHLrzVCBdKV5hwRocYIyFvUvGa9tbc06",
    "$6$saltsalt$g3uPFdehVnKoLXdidvSAg1zlVgYomPr0X/xgdXSBn2LuxZUOGgYW4IULZkguZ77fzYteIur49AGHmF9iek6Sf1",
    "$6$rounds=1000$saltsalt$5Oji4y.RQw4TBqlwXcGLBsxSL7.Pw5hdIpFnzMJTl.OaKsU3EiPTP5NseI3oKDT8iioErVqshwXGd40hlWBLx1",
    "$y$j75$saltsaltsalt$5z4hixMqZu85Q.FImGPyeqhaItXFcGCWgGmHtxl/3c9",
};

TEST(Passwords, of_other_programs_are_verified_and_outdated) {
  const Passwords passwords(cheap);
  for (const std::string_view stored : foreign_hashes) {
    EXPECT_EQ(now_of(passwords.verify("sesame", stored)), PasswordCheck::Outdated) << stored;
    for (const std::string_view wrong :
         {std::string_view("sesamf"), std::string_view(), std::string_view("sesame\0", 7),
          std::string_view("sesame\0x", 8), std::string_view("Sesame")}) {
      EXPECT_EQ(now_of(passwords.verify(wrong, stored)), PasswordCheck::Wrong) << stored << " " << wrong.size();
    }
    EXPECT_EQ(now_of(passwords.verify("sesame", stored.substr(0, stored.size() - 1))), PasswordCheck::Wrong);
    EXPECT_EQ(now_of(passwords.verify("sesame", std::string(stored) + "x")), PasswordCheck::Wrong);
    EXPECT_EQ(now_of(passwords.verify(std::string(1024, 's'), stored)), PasswordCheck::Wrong);
  }
  EXPECT_EQ(now_of(passwords.verify("pleaseletmein",
                                    "$7$C6..../....SodiumChloride$kBGj9fHznVYFQMEn/qDCfrDevf9YDtcDdKvEqHJLV8D")),
            PasswordCheck::Outdated);
}

TEST(Passwords, of_broken_functions_are_wrong) {
  const Passwords passwords(cheap);
  for (const std::string_view stored :
       {"$1$saltsalt$J3RStOYaRn/5Iz9DGbAnx1", "saZ1FwZtEBJnc", "$3$$8846f7eaee8fb117ad06bdd830b7586c"}) {
    EXPECT_EQ(now_of(passwords.verify("sesame", stored)), PasswordCheck::Wrong) << stored;
  }
}

TEST(Passwords, of_another_program_are_upgraded_by_a_login) {
  App app;
  app.state(Passwords(cheap));
  static std::string stored;
  stored = foreign_hashes[0];
  app.post("/{password}", [](std::string password, State<Passwords> passwords) -> Task<bool> {
    const PasswordCheck check = co_await passwords->verify(password, stored);
    if (check == PasswordCheck::Outdated) stored = co_await passwords->hash(password);
    co_return check != PasswordCheck::Wrong;
  });
  testing::Client client(app);
  EXPECT_EQ(client.post("/other", "").body, "false");
  EXPECT_THAT(stored, StartsWith("$2y$"));
  EXPECT_EQ(client.post("/sesame", "").body, "true");
  EXPECT_THAT(stored, StartsWith("$argon2id$"));
  EXPECT_EQ(client.post("/sesame", "").body, "true");
  EXPECT_EQ(client.post("/other", "").body, "false");
}

TEST(Passwords, that_are_very_long_are_refused_without_work) {
  const Passwords passwords(cheap);
  const std::string longest(Passwords::max_size, 'a');
  const std::string hash = now_of(passwords.hash(longest));
  EXPECT_EQ(now_of(passwords.verify(longest, hash)), PasswordCheck::Right);
  EXPECT_EQ(now_of(passwords.verify(longest + "a", hash)), PasswordCheck::Wrong);
  EXPECT_THROW(now_of(passwords.hash(longest + "a")), std::invalid_argument);
}

TEST(Passwords, need_parameters_that_argon2_has) {
  EXPECT_THROW(Passwords({.memory_kib = 7}), SetupError);
  EXPECT_THROW(Passwords({.memory_kib = 64, .iterations = 0}), SetupError);
  EXPECT_THROW(Passwords({.memory_kib = 64, .parallelism = 0}), SetupError);
}

TEST(Passwords, work_in_handlers) {
  App app;
  app.state(Passwords(cheap));
  app.get("/{password}", [](std::string password, State<Passwords> passwords) -> Task<bool> {
    const std::string hash = co_await passwords->hash("sesame");
    co_return co_await passwords->verify(password, hash) == PasswordCheck::Right;
  });
  testing::Client client(app);
  EXPECT_EQ(client.get("/sesame").body, "true");
  EXPECT_EQ(client.get("/other").body, "false");
}

// A loop that runs its turns when the test says so, with a real pool.
class PooledExecutor final : public Executor {
public:
  explicit PooledExecutor(ThreadPool& pool) : pool_(&pool), previous_(make_current(this)) {}
  ~PooledExecutor() { make_current(previous_); }
  void post(base::Function<void()> work) override {
    const std::scoped_lock lock(mutex_);
    posts_.push_back(std::move(work));
    arrived_.notify_one();
  }
  Timers& timers() noexcept override { std::abort(); }
  Offloader* offloader() noexcept override { return pool_; }

  void run_until(const std::atomic<int>& count, int expected) {
    while (count < expected) {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return !posts_.empty(); });
      std::vector<base::Function<void()>> working;
      working.swap(posts_);
      lock.unlock();
      for (const auto& work : working) work();
    }
  }

private:
  ThreadPool* pool_;
  Executor* previous_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<base::Function<void()>> posts_;
};

struct Flood {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::atomic<int> done = 0;
  std::atomic<int> refused = 0;
  std::latch gate{1};
};

Task<> one_of_flood(BoundedOffloader& bounded, Flood& flood) {
  const auto work = [&flood] {
    const int running = ++flood.running;
    int most = flood.most;
    while (most < running && !flood.most.compare_exchange_weak(most, running)) {
    }
    flood.gate.wait();
    --flood.running;
  };
  try {
    co_await bounded.run(work);
    ++flood.done;
  } catch (const Overloaded&) {
    ++flood.refused;
  }
}

TEST(BoundedOffloader, runs_some_lets_some_wait_and_refuses_the_rest) {
  ThreadPool pool({.threads = 4});
  PooledExecutor executor(pool);
  Flood flood;
  {
    BoundedOffloader bounded(2, 5);
    std::vector<Task<>> tasks;
    for (int i = 0; i < 100; ++i) {
      tasks.push_back(one_of_flood(bounded, flood));
      static_cast<void>(tasks.back().start([](void*) {}, nullptr));
    }
    // 2 run and 5 wait, or fewer wait while those that run were not taken yet.
    EXPECT_GE(flood.refused, 93);
    EXPECT_LE(flood.refused, 95);
    // The pool itself is free: two of its four threads have nothing to do.
    EXPECT_EQ(pool.submit([] { return 7; }).get(), 7);
    flood.gate.count_down();
    executor.run_until(flood.done, 100 - flood.refused);
    EXPECT_LE(flood.most, 2);
    // Later work runs as before.
    Task<> later = one_of_flood(bounded, flood);
    const int before = flood.done;
    static_cast<void>(later.start([](void*) {}, nullptr));
    executor.run_until(flood.done, before + 1);
  }
}

TEST(Passwords, are_computed_as_many_at_once_as_the_options_say) {
  ThreadPool pool({.threads = 1});
  PooledExecutor executor(pool);
  std::latch gate(1);
  auto busy = pool.submit([&gate] { gate.wait(); });  // so that the first one is not done before the second one comes
  Passwords passwords({.memory_kib = 64, .iterations = 1, .max_concurrent = 1, .max_waiting = 0});
  std::atomic<int> done = 0;
  std::atomic<int> refused = 0;
  const auto hash = [&]() -> Task<> {
    try {
      const std::string text = co_await passwords.hash("sesame");
      ++done;
    } catch (const Overloaded&) {
      ++refused;
    }
  };
  std::vector<Task<>> tasks;
  for (int i = 0; i < 3; ++i) {
    tasks.push_back(hash());
    static_cast<void>(tasks.back().start([](void*) {}, nullptr));
  }
  EXPECT_EQ(refused, 2);
  gate.count_down();
  busy.get();
  executor.run_until(done, 3 - refused);
}

TEST(BoundedOffloader, forgets_work_whose_caller_has_gone) {
  ThreadPool pool({.threads = 2});
  PooledExecutor executor(pool);
  Flood flood;
  BoundedOffloader bounded(1, 5);
  Task<> first = one_of_flood(bounded, flood);
  static_cast<void>(first.start([](void*) {}, nullptr));
  {
    Task<> second = one_of_flood(bounded, flood);
    static_cast<void>(second.start([](void*) {}, nullptr));
  }
  flood.gate.count_down();
  executor.run_until(flood.done, 1);
  EXPECT_EQ(flood.done, 1);
}

}  // namespace
}  // namespace tern::web
