#include "redis/client.hpp"

#include "redis/address.hpp"
#include "redis/loop_client.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/sha1.hpp>
#include <tern/coro/context.hpp>
#include <tern/coro/wait_log.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

namespace tern {
namespace redis {
namespace {

// Commands that change what later commands of a connection mean,
constexpr std::string_view changing_commands[] = {"AUTH",  "DISCARD",     "EXEC",       "HELLO",        "MONITOR",
                                                  "MULTI", "PSUBSCRIBE",  "PSYNC",      "PUNSUBSCRIBE", "QUIT",
                                                  "RESET", "SELECT",      "SSUBSCRIBE", "SUBSCRIBE",    "SUNSUBSCRIBE",
                                                  "SYNC",  "UNSUBSCRIBE", "UNWATCH",    "WATCH"};
// and those that wait.
constexpr std::string_view waiting_commands[] = {"BLMOVE", "BLMPOP",   "BLPOP",    "BRPOP", "BRPOPLPUSH",
                                                 "BZMPOP", "BZPOPMAX", "BZPOPMIN", "WAIT",  "WAITAOF"};

std::string_view next_word(std::string_view& encoded) {
  const std::size_t line = encoded.find("\r\n");
  const auto size = base::parse_integer<std::size_t>(encoded.substr(1, line - 1)).value_or(0);
  const std::string_view word = encoded.substr(line + 2, size);
  encoded.remove_prefix(std::min(encoded.size(), line + 2 + size + 2));
  return word;
}

// The words of a command behind its head.
std::string_view words_of(std::string_view encoded) {
  return encoded.substr(encoded.find("\r\n") + 2);
}

// Whether an XREAD or XREADGROUP waits: BLOCK before STREAMS.
bool blocks(std::string_view words) {
  while (!words.empty()) {
    const std::string_view word = next_word(words);
    if (base::equals_ignoring_case(word, "BLOCK")) return true;
    if (base::equals_ignoring_case(word, "STREAMS")) return false;
  }
  return false;
}

}  // namespace

std::string head_of_command(std::size_t words) {
  return '*' + std::to_string(words) + "\r\n";
}

void append_word(std::string& text, std::string_view word) {
  text += '$';
  base::append_integer(text, word.size());
  text += "\r\n";
  text += word;
  text += "\r\n";
}

void check_command(std::string_view encoded, bool may_wait) {
  std::string_view words = words_of(encoded);
  const std::string_view name = words.empty() ? words : next_word(words);
  if (name.empty()) throw std::invalid_argument("Redis: a command has a name");
  const auto is = [name](std::string_view other) { return base::equals_ignoring_case(name, other); };
  const bool client_reply = is("CLIENT") && base::equals_ignoring_case(next_word(words), "REPLY");
  const bool waits = std::ranges::any_of(waiting_commands, is) || ((is("XREAD") || is("XREADGROUP")) && blocks(words));
  if (waits && !may_wait) {
    throw std::invalid_argument("Redis: " + std::string(name) + " waits, and all requests of a loop share the " +
                                "connection: it needs a RedisBlocking");
  }
  if (!client_reply && std::ranges::none_of(changing_commands, is)) return;
  throw std::invalid_argument("Redis: " + std::string(name) + " changes the connection, which all requests of a loop " +
                              "share: transactions are made by Redis::transaction(), and user, password and database " +
                              "are options");
}

// --- Client

Client::Client(RedisOptions options, Milliseconds max_wait)
    : options_(std::move(options)), max_wait_(max_wait), name_(name_of(options_)), tls_(make_tls(options_, "Redis")) {}

void Client::release() noexcept {
  if (handles_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  end_loops();
  leave();
}

void Client::leave() noexcept {
  if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

// The mutex keeps the executors: the end of one waits for it in remove().
void Client::end_loops() noexcept {
  const std::lock_guard lock(mutex_);
  for (const LoopClient* loop : loops_) {
    Executor& executor = loop->executor();
    try {
      executor.post([this, &executor] {
        if (Attachment* found = executor.attached(this)) static_cast<LoopClient*>(found)->end();
      });
    } catch (const std::bad_alloc&) {  // then it ends with its executor
    }
  }
}

LoopClient* Client::of_this_loop() {
  Executor* const executor = Executor::current();
  if (executor == nullptr) return nullptr;
  if (Attachment* found = executor->attached(this)) return static_cast<LoopClient*>(found);
  auto made = std::make_unique<LoopClient>(*this, *executor);
  {
    const std::lock_guard lock(mutex_);
    loops_.push_back(made.get());
  }
  owners_.fetch_add(1, std::memory_order_relaxed);
  executor->attach(*made);
  return made.release();
}

void Client::remove(LoopClient& ended) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (std::erase(loops_, &ended) == 0) return;  // it was not complete
    ended_ += ended.statistics().read();
    ended_.connections = ended_.unanswered = ended_.queued_bytes = 0;
  }
  leave();
}

RedisStatistics Client::statistics() const {
  const std::lock_guard lock(mutex_);
  RedisStatistics statistics = ended_;
  for (const LoopClient* loop : loops_) statistics += loop->statistics().read();
  statistics.subscriptions = subscriptions_.subscribed.load(std::memory_order_relaxed);
  statistics.unread_messages = subscriptions_.unread.load(std::memory_order_relaxed);
  statistics.messages = subscriptions_.messages.load(std::memory_order_relaxed);
  statistics.resubscriptions = subscriptions_.resubscribed.load(std::memory_order_relaxed);
  return statistics;
}

// --- The wait

CommandWait::~CommandWait() {
  give_up();
}

bool CommandWait::enter() noexcept {
  if (context() != nullptr) entered_at_ = coro::WaitLog::now();
  try {
    client_.of_this_loop()->enter(*this);
    return true;
  } catch (...) {
    error_ = std::current_exception();
    return false;
  }
}

bool CommandWait::leave() noexcept {
  give_up();
  return true;
}

// A command without a reader must not take an element. (Without a loop, the connection has
// ended.)
void CommandWait::give_up() noexcept {
  if (slot_ == nullptr) return;
  std::exchange(slot_, nullptr)->waiter = nullptr;
  if (!client_.blocks() || Executor::current() == nullptr) return;
  if (Attachment* found = Executor::current()->attached(&client_)) static_cast<LoopClient*>(found)->abandon();
}

void CommandWait::complete(RedisReply reply) noexcept {
  slot_ = nullptr;
  reply_ = std::move(reply);
  wake();
}

void CommandWait::fail(std::exception_ptr error) noexcept {
  slot_ = nullptr;
  error_ = std::move(error);
  wake();
}

// A step of the trace, if the request has one: only the name of the command, never its other words. ("Semantic
// Conventions for Redis" of OpenTelemetry; commands that are sent as one are a "MULTI".)
void CommandWait::record_step(std::string_view code, std::string_view fault) const noexcept {
  coro::Context* const context = coro::Context::current();
  if (context == nullptr) return;
  std::string_view words = words_of(request_.text);
  const std::string_view name = next_word(words);
  const std::array<coro::StepValue, 3> values = {
      {{"db.system.name", "redis"}, {"db.operation.name", name}, {"db.response.status_code", code}}};
  const std::size_t count = code.empty() ? values.size() - 1 : values.size();
  context->record({name, coro::WaitLog::now() - entered_at_, fault, std::span(values).first(count)});
}

RedisReply CommandWait::take() {
  if (entered_at_ == 0) return take_reply();
  try {
    RedisReply reply = take_reply();
    record_step({}, {});
    return reply;
  } catch (const RedisError& error) {
    record_step(error.code(), error.what());
    throw;
  } catch (const std::exception& error) {
    record_step({}, error.what());
    throw;
  }
}

RedisReply CommandWait::take_reply() {
  check();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  if (reply_.kind != RedisReply::Kind::Error) return std::move(reply_);
  try {
    refuse(reply_, "a reply");
  } catch (const RedisError& error) {
    rethrow(error);
  }
}

void CommandWait::rethrow(const RedisError& error) const {
  std::string_view words = words_of(request_.text);
  const std::string text = client_.name() + ": " + std::string(next_word(words)) + ": " + error.what();
  throw RedisError(error.fault(), text, std::string(error.code()));
}

}  // namespace redis

// --- The public handle

Redis::Redis(RedisOptions options) : client_(new redis::Client(std::move(options))) {}

Redis::Redis(RedisOptions options, Milliseconds max_wait) : client_(new redis::Client(std::move(options), max_wait)) {}

Redis::Redis(const Redis& other) noexcept : client_(other.client_) {
  client_->retain();
}

Redis& Redis::operator=(const Redis& other) noexcept {
  other.client_->retain();
  client_->release();
  client_ = other.client_;
  return *this;
}

Redis::~Redis() {
  client_->release();
}

const RedisOptions& Redis::options() const noexcept {
  return client_->options();
}

RedisStatistics Redis::statistics() const {
  return client_->statistics();
}

RedisScript::RedisScript(std::string text) : text_(std::move(text)) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (const std::uint8_t byte : base::sha1(text_)) {
    digest_ += digits[byte >> 4U];
    digest_ += digits[byte & 15U];
  }
}

RedisTransaction::RedisTransaction(redis::Client& client) : client_(&client), request_(redis::encode("MULTI")) {}

void RedisTransaction::append(const std::string& command) {
  redis::check_command(command);
  request_.ends.push_back(request_.text.size());
  request_.text += command;
}

void RedisTransaction::append_end() {
  request_.ends.push_back(request_.text.size());
  request_.text += redis::encode("EXEC");
}

}  // namespace tern
