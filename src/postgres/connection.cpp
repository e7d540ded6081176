#include "postgres/connection.hpp"

#include "postgres/error.hpp"
#include "postgres/statement.hpp"

#include <algorithm>
#include <new>
#include <span>
#include <utility>

namespace tern::postgres {
namespace {

constexpr std::size_t max_arguments = 65'535;  // the protocol counts them in 16 bits
constexpr std::uint64_t grace = 1000;          // milliseconds for the database's own timeout to arrive
constexpr std::uint64_t cancel_delay = 50;     // milliseconds: short statements end by themselves
constexpr std::uint64_t slow_after = 20;       // milliseconds
constexpr unsigned answers_after_cancel = 2;   // that a cancel request may still reach, after it was made
constexpr std::size_t enough_ahead = 16;       // statements that keep the database busy
constexpr std::string_view not_postgresql = "an answer that is not PostgreSQL's";

}  // namespace

Connection::Connection(Owner& owner, const PostgresOptions& options, Executor& executor)
    : owner_(owner),
      options_(options),
      executor_(executor),
      statements_(options.statement_cache),
      statement_timeout_(options.statement_timeout),
      session_(*this, executor, options.max_message) {}

Connection::~Connection() {
  executor_.timers().disarm(*this);
  for (const Slot& slot : slots_) {
    if (slot.receiver != nullptr) slot.receiver->on_detached();
  }
}

Task<std::string> Connection::open(const Parameters& parameters, const Endpoint& endpoint,
                                   const std::string& attributes) {
  std::string fault = co_await session_.open(parameters, endpoint, attributes);
  if (fault.empty()) {
    received_at_ = now();
    set_up();
  }
  co_return fault;
}

void Connection::set_up() {
  if (options_.transaction_pooling || options_.statement_timeout.count() == 0) return;
  send_setting("set statement_timeout = " + std::to_string(options_.statement_timeout.count()));
}

void Connection::send_setting(const std::string& text) {
  send_text(text, nullptr).is_setting = true;
  ++settings_;
}

void Connection::close() noexcept {
  session_.close(slots_.empty());
}

void Connection::clean() {
  statements_.clear();
  send_setting("discard all");
  set_up();
  tainted_ = false;
}

// --- Sending

void Connection::start(StatementWait& wait) {
  wait.connection_ = this;
  if (!wait.steps_.empty()) return start_batch(wait);
  if (wait.portal_ != nullptr && wait.portal_->prepared != nullptr) return send(*wait.portal_->prepared, wait);
  Prepared& prepared = prepared_of(*wait.call_);
  if (prepared.ready) return send(prepared, wait);
  prepared.waiting.push(wait);
  ++waiting_;
}

// Found, or sent to be prepared.
Prepared& Connection::prepared_of(const sql::Call& call) {
  if (call.arguments().size() > max_arguments) {
    throw SqlError(SqlErrorKind::Parameter,
                   "a statement takes up to 65,535 arguments, not " + std::to_string(call.arguments().size()));
  }
  if (Prepared* const found = statements_.find(call.text())) return *found;
  check_statement(call.text(), use.leased ? Place::InTransaction : Place::Alone);
  Prepared& added = statements_.add(call.text(), !options_.transaction_pooling);
  prepare(added);
  return added;
}

void Connection::prepare(Prepared& prepared) {
  close_surplus();
  std::string& out = session_.output();
  {
    Message parse(out, 'P');
    parse.add_string(prepared.name);
    parse.add_string(prepared.text);
    parse.add_16(0);
  }
  {
    Message describe(out, 'D');
    describe.add_byte('S');
    describe.add_string(prepared.name);
  }
  {
    const Message sync(out, 'S');
  }
  push(Slot::Kind::Prepare, nullptr, &prepared);
}

void Connection::close_surplus() {
  while (Prepared* surplus = statements_.surplus()) {
    if (!surplus->name.empty()) {
      Message close(session_.output(), 'C');
      close.add_byte('S');
      close.add_string(surplus->name);
    }
    statements_.drop(*surplus);
  }
}

void Connection::send(Prepared& prepared, StatementWait& wait) {
  const bool continues = wait.portal_ != nullptr && wait.portal_->prepared != nullptr;
  std::string& out = session_.output();
  const std::size_t before = out.size();
  try {
    add_execute(prepared, *wait.call_, wait.portal_);
  } catch (...) {
    out.resize(before);
    throw;
  }
  {
    const Message sync(out, 'S');
  }
  wait.slot_ = &push(Slot::Kind::Statement, &wait, &prepared);
  if (wait.portal_ != nullptr && !continues) {
    wait.portal_->prepared = &prepared;
    ++prepared.in_use;  // until close_portal()
  }
}

void Connection::add_execute(const Prepared& prepared, const sql::Call& call, const Portal* portal) {
  const std::size_t expected = prepared.parameters.size();
  if (expected != call.arguments().size()) {
    throw SqlError(SqlErrorKind::Parameter, "a statement with " + std::to_string(expected) + " parameters gets " +
                                                std::to_string(call.arguments().size()) + " arguments");
  }
  const std::string_view name = portal == nullptr ? std::string_view() : portal->name;
  if (portal == nullptr || portal->prepared == nullptr) bind(prepared, call, name);
  Message execute(session_.output(), 'E');
  execute.add_string(name);
  execute.add_32(portal == nullptr ? 0 : portal->max_rows);
}

void Connection::bind(const Prepared& prepared, const sql::Call& call, std::string_view portal) {
  std::string& out = session_.output();
  const sql::Arguments& arguments = call.arguments();
  if (prepared.name.empty()) {
    Message parse(out, 'P');
    parse.add_string({});
    parse.add_string(prepared.text);
    parse.add_16(static_cast<std::uint16_t>(prepared.parameters.size()));
    for (const Type& type : prepared.parameters) parse.add_32(type.oid);
  }
  {
    Message bind(out, 'B');
    bind.add_string(portal);
    bind.add_string(prepared.name);
    bind.add_16(static_cast<std::uint16_t>(arguments.size()));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      bind.add_16(sends_binary(prepared.parameters[i], arguments[i]) ? 1 : 0);
    }
    bind.add_16(static_cast<std::uint16_t>(arguments.size()));
    for (std::size_t i = 0; i < arguments.size(); ++i) encode(bind, prepared.parameters[i], arguments[i], i + 1);
    bind.add_16(static_cast<std::uint16_t>(prepared.types.size()));
    for (const Type& type : prepared.types) bind.add_16(type.is_binary() ? 1 : 0);
  }
  if (!prepared.name.empty()) return;
  Message describe(out, 'D');  // nothing keeps the columns as they were
  describe.add_byte('P');
  describe.add_string(portal);
}

Slot& Connection::send_text(std::string_view text, Receiver* receiver, Slot::Kind kind) {
  {
    Message query(session_.output(), 'Q');
    query.add_string(text);
  }
  return push(kind, receiver, nullptr);
}

void Connection::check() {
  {
    const Message sync(session_.output(), 'S');
  }
  push(Slot::Kind::Text, nullptr, nullptr);
}

void Connection::close_portal(std::string_view name, Prepared& prepared) noexcept {
  --prepared.in_use;
  statements_.release(prepared);
  if (!is_open() || status_ != 'T') return;  // it ended with the transaction
  try {
    {
      Message close(session_.output(), 'C');
      close.add_byte('P');
      close.add_string(name);
    }
    check();
  } catch (const std::bad_alloc&) {
    lose("no memory");
  }
}

void Connection::send_copy_data(std::string_view bytes) {
  {
    Message data(session_.output(), 'd');
    data.add_bytes(bytes);
  }
  session_.flush();
}

void Connection::end_copy(std::string_view fault) {
  if (fault.empty()) {
    const Message done(session_.output(), 'c');
  } else {
    Message failure(session_.output(), 'f');
    failure.add_string(fault);
  }
  session_.flush();
}

Slot& Connection::push(Slot::Kind kind, Receiver* receiver, Prepared* prepared) {
  Slot& slot = slots_.emplace_back();
  slot.kind = kind;
  slot.receiver = receiver;
  slot.prepared = prepared;
  slot.since = now();
  if (prepared != nullptr) ++prepared->in_use;
  if (!armed()) schedule_timer();
  ++unsent_;
  send_ahead();
  return slot;
}

// The database runs one statement after the other: while it has enough of them, further ones wait for each other and
// leave in one write. (One that is counted as unsent may have been sent: flush() takes effect at the next turn.)
void Connection::send_ahead() noexcept {
  if (unsent_ == 0 || slots_.size() - unsent_ >= enough_ahead) return;
  unsent_ = 0;
  session_.flush();
}

void Connection::abandon(Slot& slot) noexcept {
  slot.receiver = nullptr;
  slot.abandoned = true;
  slot.since = now();
  schedule_timer();
}

// --- Receiving

void Connection::on_message(char type, std::string_view body) {
  if (type == 'N' || type == 'S') return;  // notices, and settings
  if (type == 'A') {
    Reader reader(body);
    const int process = static_cast<int>(reader.read_32());
    const std::string_view channel = reader.read_string();
    const std::string_view payload = reader.read_string();
    if (reader.failed()) return lose("a malformed notification");
    return owner_.on_notification(channel, payload, process);
  }
  received_at_ = now();  // only answers: others do not show that a statement makes progress
  if (slots_.empty()) {
    bool fatal = false;
    if (type == 'E') fatal_ = std::make_exception_ptr(error_of(body, fatal));
    return lose("the database ended the connection");
  }
  Slot& slot = slots_.front();
  switch (type) {
    case 'D': return on_row(slot, body);
    case 'C': return on_complete(slot, body.substr(0, body.find('\0')));
    case 'I': return on_complete(slot, {});  // EmptyQueryResponse
    case 'Z': return on_ready(body);
    case 'E': return on_error(slot, body);
    case 't':
    case 'T': return on_description(slot, type, body);
    case 's':
      if (slot.receiver == nullptr) return;
      if (slot.prepared != nullptr) slot.receiver->on_columns(slot.prepared->columns);
      return slot.receiver->on_suspended();
    case 'G':
      if (slot.kind != Slot::Kind::Copy) return end_copy("copy_in() takes this statement");
      return slot.receiver != nullptr ? slot.receiver->on_copy_in() : end_copy("cancelled");
    case 'd':
      if (slot.receiver != nullptr) slot.receiver->on_copy_data(body);
      return;
    case '1':  // ParseComplete
    case '2':  // BindComplete
    case '3':  // CloseComplete
    case 'n':  // NoData
    case 'H':  // CopyOutResponse
    case 'c': return;
    default: return lose(not_postgresql);
  }
}

// One statement has ended.
void Connection::on_complete(Slot& slot, std::string_view tag) {
  if (slot.receiver != nullptr) {
    if (slot.prepared != nullptr) slot.receiver->on_columns(slot.prepared->columns);
    slot.receiver->on_complete(tag);
  }
  if (slot.batch.empty()) return;
  if (slot.answered == slot.batch.size()) return lose("more answers than statements");
  if (++slot.answered < slot.batch.size()) slot.prepared = slot.batch[slot.answered];
  slot.described = false;
}

// Rows are decoded as the description says: it is taken where it was asked for, and not once rows have begun.
void Connection::on_description(Slot& slot, char type, std::string_view body) {
  if (slot.prepared == nullptr) return;  // of a script
  const bool of_statement = slot.kind == Slot::Kind::Statement;
  const bool late = std::exchange(slot.described, true);
  if (of_statement && (late || type == 't' || !slot.prepared->name.empty())) return lose(not_postgresql);
  const bool valid = type == 't' ? slot.prepared->describe_parameters(body) : slot.prepared->describe_columns(body);
  if (!valid) return lose("a malformed description");
  // Of a statement, whose columns were described before it was sent. Its effects remain.
  if (of_statement && slot.prepared->has_other_formats && slot.receiver != nullptr) {
    slot.receiver->on_error(SqlError(SqlErrorKind::Column, "the types of the columns have changed meanwhile"));
  }
}

void Connection::on_row(Slot& slot, std::string_view body) {
  if (slot.receiver == nullptr || slot.prepared == nullptr) return;
  slot.described = true;
  const std::vector<Type>& types = slot.prepared->types;
  Reader reader(body);
  const std::size_t count = reader.read_16();
  if (count != types.size()) return lose("a row with another number of columns");
  if (values_.size() != count) {
    values_.resize(count);
    if (items_.size() < count) items_.resize(count);
  }
  const std::span values(values_.data(), count);
  try {
    decode_row(reader, types, values, {items_.data(), count});
  } catch (const SqlError& error) {
    return reader.failed() ? lose("a malformed row") : slot.receiver->on_error(error);
  }
  if (reader.failed() || !reader.rest().empty()) return lose("a malformed row");
  slot.receiver->on_row(slot.prepared->columns, values);
}

void Connection::on_error(Slot& slot, std::string_view body) {
  bool fatal = false;
  const SqlError error = error_of(body, fatal);
  if (fatal) {
    fatal_ = std::make_exception_ptr(error);
    return lose(error.what());
  }
  const std::string_view state = error.sqlstate();
  slot.stale = slot.kind == Slot::Kind::Statement && (state == "0A000" || state == "26000");
  slot.struck = state == "57014" && is_suspect() && !slot.cancelled;
  if (slot.kind == Slot::Kind::Prepare) slot.error = std::make_exception_ptr(error);
  if (slot.receiver != nullptr) slot.receiver->on_error(error);
}

void Connection::on_ready(std::string_view body) {
  if (body.size() != 1 || !std::string_view("ITE").contains(body[0])) return lose(not_postgresql);
  const bool unprepared = slots_.front().kind == Slot::Kind::Prepare && !slots_.front().error;
  if (unprepared && !slots_.front().described) return lose(not_postgresql);
  status_ = body[0];
  Slot slot = std::move(slots_.front());
  slots_.pop_front();
  unsent_ = std::min(unsent_, slots_.size());
  send_ahead();
  if (slot.is_setting) --settings_;
  if (!cancelling_ && suspect_answers_ != 0) --suspect_answers_;
  // In the middle of others, a transaction would take their statements in.
  if (status_ != 'I' && !use.leased) lose("a statement has begun a transaction");
  Prepared* const prepared = slot.prepared;
  if (slot.stale) statements_.drop(*prepared);
  if (slot.kind == Slot::Kind::Prepare) {
    on_prepared(*prepared, slot.error);
  } else if (slot.receiver != nullptr) {
    auto* const wait = slot.kind == Slot::Kind::Statement ? static_cast<StatementWait*>(slot.receiver) : nullptr;
    if (wait == nullptr || !repeat(*wait, slot)) slot.receiver->on_ready();
  }
  for (Prepared* const each : slot.batch) release(*each);
  if (slot.batch.empty() && prepared != nullptr) release(*prepared);
  if (!cancelling_ && suspect_answers_ != 0 && slots_.empty()) check();  // nothing else would be answered
  owner_.on_progress(*this);
}

// The statement had no effect. In a transaction, the database does not take it again.
bool Connection::repeat(StatementWait& wait, const Slot& slot) noexcept {
  if (!(slot.stale || slot.struck) || status_ == 'E' || wait.portal_ != nullptr || !wait.may_repeat()) return false;
  wait.rewind();
  try {
    start(wait);
  } catch (...) {
    wait.fail(std::current_exception());
  }
  return true;
}

void Connection::on_prepared(Prepared& prepared, const std::exception_ptr& error) noexcept {
  if (error) statements_.drop(prepared);
  prepared.ready = !error;
  while (StatementWait* wait = prepared.waiting.pop()) {
    --waiting_;
    if (error) {
      unpin(*wait);
      wait->fail(error);
      continue;
    }
    try {
      wait->steps_.empty() ? send(prepared, *wait) : start_batch(*wait);
    } catch (...) {
      wait->fail(std::current_exception());
    }
  }
}

// --- Time

bool Connection::is_slow(std::uint64_t now) const noexcept {
  return !slots_.empty() && std::max(slots_.front().since, received_at_) + slow_after <= now;
}

std::uint64_t Connection::deadline_of(const Slot& slot) const noexcept {
  if (slot.abandoned && !slot.cancelled) return slot.since + cancel_delay;
  if (statement_timeout_.count() == 0) return UINT64_MAX;
  // The database may answer a batch at its end.
  const std::uint64_t statements = std::max<std::uint64_t>(slot.batch.size(), 1);
  return std::max(slot.since, received_at_) + static_cast<std::uint64_t>(statement_timeout_.count()) * statements +
         grace;
}

void Connection::schedule_timer() noexcept {
  if (slots_.empty()) return;
  const std::uint64_t due = deadline_of(slots_.front());
  if (due == UINT64_MAX) return;
  executor_.timers().arm(*this, Milliseconds(static_cast<std::int64_t>(due > now() ? due - now() : 0)));
}

void Connection::on_timer() noexcept {
  if (slots_.empty() || !is_open()) return;
  Slot& front = slots_.front();
  if (deadline_of(front) <= now()) {
    if (!front.abandoned || front.cancelled) {
      return lose("no answer for " + format_duration(now() - std::max(front.since, received_at_)));
    }
    front.cancelled = true;
    front.since = now();
    if (!std::exchange(cancelling_, true)) owner_.cancel(*this);
  }
  schedule_timer();
}

void Connection::cancelled() noexcept {
  cancelling_ = false;
  suspect_answers_ = slots_.empty() ? 0 : answers_after_cancel;
  owner_.on_progress(*this);
}

void Connection::on_lost(std::string_view why) noexcept {
  std::exception_ptr error = fatal_;
  try {
    if (!error) error = unavailable("the connection to PostgreSQL is lost: " + std::string(why));
  } catch (...) {
    error = std::current_exception();
  }
  std::deque<Slot> slots = std::move(slots_);
  slots_.clear();
  settings_ = unsent_ = 0;
  for (const Slot& slot : slots) {
    if (slot.kind == Slot::Kind::Prepare) on_prepared(*slot.prepared, error);
    if (slot.receiver != nullptr) slot.receiver->on_lost(error);
  }
  status_ = 'I';
  owner_.on_lost(*this, error);
}

}  // namespace tern::postgres
