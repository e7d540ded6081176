// Servers that are not PostgreSQL, or that attack: malformed answers, answers out of order, half of a message, and
// logins that are weaker than the client wants.
#include "postgres/fake_postgres.hpp"
#include "postgres/postgres_testing.hpp"

#include <gmock/gmock.h>
#include <openssl/ssl.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tern::postgres {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Clock = std::chrono::steady_clock;

struct Book {
  std::int32_t id = 0;
  std::string title;
  std::vector<std::int32_t> years;
};

constexpr std::uint32_t int4 = 23;
constexpr std::uint32_t text = 25;
constexpr std::uint32_t int4_array = 1007;

std::string parameters_of_one() {
  return message('t', number_16(1) + number_32(int4));
}
std::string columns_of_book() {
  return message('T', number_16(3) + column("id", int4, false) + column("title", text, false) +
                          column("years", int4_array, false));
}
// The answer to Parse, Describe and Sync.
std::string prepared() {
  return message('1', "") + parameters_of_one() + columns_of_book() + message('Z', "I");
}
std::string years_of_book() {
  return number_32(1) + number_32(0) + number_32(int4) + number_32(1) + number_32(1) + value(number_32(2024));
}
std::string row_of_book() {
  return message('D', number_16(3) + value(number_32(7)) + value("Dune") + value(years_of_book()));
}
std::string row_with(const std::string& years) {
  return message('D', number_16(3) + value(number_32(7)) + value("Dune") + value(years));
}
std::string ready() {
  return message('Z', "I");
}
// The answer to Bind, Execute and Sync.
std::string selected() {
  return message('2', "") + row_of_book() + message('C', with_nul("SELECT 1")) + ready();
}

class HostilePostgres : public RunningAppTest {
protected:
  HostilePostgres() {
    Options options = quiet();
    options.threads = 1;
    app.start(options);
  }
  static PostgresOptions of(const FakePostgres& server, const std::string& more = "sslmode=disable") {
    PostgresOptions options;
    options.url = server.url(more);
    options.statement_timeout = Milliseconds(0);
    options.connect_timeout = Seconds(5);
    options.max_wait = Seconds(20);
    return options;
  }
  Failure query(const Postgres& db) {
    return error_of(app, [&db]() -> Task<> {
      const std::vector<Book> books = co_await db.query<Book>("select id, title, years from book where id = $1", 7);
      EXPECT_EQ(books.size(), 1U);
      EXPECT_EQ(books.at(0).title, "Dune");
    });
  }
  // The error of a statement that is answered so.
  Failure answered(const std::string& preparation, const std::string& result) {
    const FakePostgres server([&](FakePostgres::Client& client) {
      client.log_in();
      if (client.read_until('S') && client.send(preparation) && client.read_until('S')) client.send(result);
    });
    const Postgres db(of(server));
    return query(db);
  }
  // What the client has said behind its first message, to which the server has answered so; and its error.
  std::pair<std::string, Failure> login_answered(const std::string& url, const std::string& answer) {
    std::promise<std::string> said;
    std::once_flag once;
    const FakePostgres server([&](FakePostgres::Client& client) {
      client.read_startup();
      client.send(answer);
      std::string rest = client.read_all();
      std::call_once(once, [&] { said.set_value(std::move(rest)); });
    });
    const Postgres db(of(server, url));
    const Failure failure = query(db);
    return {said.get_future().get(), failure};
  }
};

TEST_F(HostilePostgres, the_fake_server_is_right_when_it_wants_to_be) {
  EXPECT_EQ(answered(prepared(), selected()).state, "none");
}

struct Malformed {
  std::string answer;
  std::string error;
};

TEST_F(HostilePostgres, a_malformed_preparation_loses_the_connection) {
  const std::string types = parameters_of_one();
  const std::vector<Malformed> all = {
      {"HTTP/1.1 400 Bad Request\r\n\r\n", "larger than max_message"},
      {std::string(64, '\0'), "not PostgreSQL's"},
      {message('T', "", 3), "not PostgreSQL's"},
      {message('T', "", 0), "not PostgreSQL's"},
      {message('T', "", 0xFFFF'FFFF), "larger than max_message"},
      {message('T', "", 0x7FFF'FFFF), "larger than max_message"},
      {message('t', number_16(5)) + ready(), "malformed description"},
      {message('t', "") + ready(), "malformed description"},
      {message('t', number_16(0) + "more") + ready(), "malformed description"},
      {types + message('T', number_16(0xFFFF)) + ready(), "malformed description"},
      {types + message('T', number_16(1) + "a name without an end") + ready(), "malformed description"},
      {types + message('T', number_16(1) + with_nul("id") + number_32(0)) + ready(), "malformed description"},
      {ready(), "not PostgreSQL's"},
      {types + columns_of_book() + message('Z', ""), "not PostgreSQL's"},
      {types + columns_of_book() + message('Z', "X"), "not PostgreSQL's"},
      {types + columns_of_book() + message('Z', "II"), "not PostgreSQL's"},
      {types + columns_of_book() + message('Z', "T"), "has begun a transaction"},
      {message('R', number_32(3)), "not PostgreSQL's"},  // a second login
      {message('K', number_32(1) + number_32(2)), "not PostgreSQL's"},
      {message('A', number_32(1) + "channel"), "malformed notification"},
      {message('E', with_nul("VFATAL") + with_nul("C57P01") + with_nul("Mgone") + '\0'), "gone (SQLSTATE 57P01)"},
  };
  for (const auto& [answer, error] : all) {
    SCOPED_TRACE(::testing::PrintToString(answer));
    const Failure failure = answered(answer, "");
    EXPECT_EQ(failure.kind, SqlErrorKind::Unavailable);
    EXPECT_THAT(failure.what, HasSubstr(error));
  }
}

TEST_F(HostilePostgres, a_malformed_result_loses_the_connection) {
  std::string wide = number_16(300);
  std::string values = number_16(300);
  for (int i = 0; i < 300; ++i) {
    wide += column("c" + std::to_string(i), text, false);
    values += value("x");
  }
  const std::vector<Malformed> all = {
      {message('D', number_16(2) + value(number_32(7)) + value("Dune")), "another number of columns"},
      {message('D', ""), "another number of columns"},
      {message('D', number_16(3) + value(number_32(7))), "malformed row"},
      {message('D', number_16(3) + value(number_32(7)) + number_32(100) + "Dune"), "malformed row"},
      {message('D', number_16(3) + value(number_32(7)) + number_32(0xFFFF'FFFE) + value("")), "malformed row"},
      {message('D', number_16(3) + value(number_32(7)) + value("Dune") + value(years_of_book()) + "more"),
       "malformed row"},
      // A description without a Describe, in front of rows and between them.
      {columns_of_book() + row_of_book(), "not PostgreSQL's"},
      {row_of_book() + message('T', wide) + message('D', values), "not PostgreSQL's"},
      {row_of_book() + parameters_of_one(), "not PostgreSQL's"},
      {message('!', ""), "not PostgreSQL's"},
  };
  for (const auto& [answer, error] : all) {
    SCOPED_TRACE(::testing::PrintToString(answer).substr(0, 200));
    const Failure failure = answered(prepared(), message('2', "") + answer + ready());
    EXPECT_EQ(failure.kind, SqlErrorKind::Unavailable);
    EXPECT_THAT(failure.what, HasSubstr(error));
  }
}

TEST_F(HostilePostgres, a_value_that_is_none_of_its_type_is_an_error_of_its_statement) {
  const std::vector<std::string> rows = {
      message('D', number_16(3) + value("abc") + value("Dune") + value(years_of_book())),  // an int4 of three bytes
      row_with(""),
      row_with(number_32(0x7FFF'FFFF)),
      row_with(number_32(1) + number_32(0) + number_32(int4) + number_32(0x7FFF'FFFF) + number_32(1)),
      row_with(number_32(1) + number_32(0) + number_32(int4) + number_32(1) + number_32(1) + number_32(0xFFFF'FFFE)),
      row_with(number_32(1) + number_32(0) + number_32(int4) + number_32(1) + number_32(1) + number_32(9) + "abc"),
      row_with(years_of_book() + "more"),
  };
  for (const std::string& row : rows) {
    SCOPED_TRACE(::testing::PrintToString(row));
    const Failure failure = answered(prepared(), message('2', "") + row + message('C', with_nul("SELECT 1")) + ready());
    EXPECT_EQ(failure.kind, SqlErrorKind::Column);
  }
}

// A request to cancel has been taken, and the connection is answered only then. It may still hit the next statement:
// before it is used again, it is asked whether it answers.
TEST_F(HostilePostgres, a_statement_that_ends_long_after_it_was_cancelled_leaves_its_connection_usable) {
  std::promise<void> cancel_request;
  std::promise<void> answer;
  std::shared_future<void> may_answer = answer.get_future().share();
  std::atomic<int> connections = 0;
  const FakePostgres server([&](FakePostgres::Client& client) {
    if (client.read_startup().starts_with(number_32(80'877'102))) return cancel_request.set_value();
    ++connections;
    client.send(login_done());
    if (!client.read_until('S') || !client.send(prepared()) || !client.read_until('S')) return;
    may_answer.wait();
    client.send(message('E', with_nul("SERROR") + with_nul("C57014") + with_nul("Mcanceled") + '\0') + ready());
    while (true) {
      const std::string types = client.types_until('S');
      if (types.empty() || !client.send(types == "S" ? ready() : selected())) return;
    }
  });
  Options one_thread = quiet();
  one_thread.threads = 1;
  one_thread.pool.threads = 1;
  app.stop();
  app.start(one_thread);
  PostgresOptions options = of(server);
  options.max_connections = 1;
  options.max_wait = Seconds(5);
  const Postgres db(options);
  EXPECT_TRUE(throws<TimedOut>(app, [&]() -> Task<> {
    co_await with_timeout(Milliseconds(20), db.query<Book>("select id, title, years from book where id = $1", 7));
  }));
  cancel_request.get_future().wait();
  // Behind the request on the only thread of the pool, so that the loop knows of its end.
  on_loop(app, []() -> Task<> { co_await offload([] {}); });
  answer.set_value();
  EXPECT_EQ(query(db).state, "none");
  EXPECT_EQ(connections, 1);
}

TEST_F(HostilePostgres, more_answers_than_statements_lose_the_connection) {
  const std::string done = message('C', with_nul("UPDATE 1"));
  const FakePostgres server([&](FakePostgres::Client& client) {
    client.log_in();
    if (!client.read_until('S')) return;
    client.send(message('1', "") + message('t', number_16(0)) + message('n', "") + ready());
    if (client.read_until('S')) client.send(done + done + done + ready());
  });
  const Postgres db(of(server));
  const Failure failure = error_of(app, [&db]() -> Task<> {
    SqlBatch batch;
    auto one = batch.execute("update book set year = 1");
    auto other = batch.execute("update book set year = 1");
    co_await db.run(batch);
    EXPECT_EQ(one.take() + other.take(), 2);
  });
  EXPECT_EQ(failure.kind, SqlErrorKind::Unavailable);
  EXPECT_THAT(failure.what, HasSubstr("more answers than statements"));
}

// Every answer that is cut at a byte, and every one with another byte. Each ends: with an error, or with rows.
TEST_F(HostilePostgres, changed_and_truncated_answers_end) {
  const std::string right = prepared() + selected();
  std::vector<std::string> answers;
  for (std::size_t at = 0; at < right.size(); ++at) {
    answers.push_back(right.substr(0, at));
    for (const char change : {'\x01', '\x80', '\xFF'}) {
      answers.push_back(right);
      answers.back()[at] = static_cast<char>(answers.back()[at] ^ change);
    }
  }
  std::atomic<std::size_t> next = 0;
  const FakePostgres server([&](FakePostgres::Client& client) {
    client.log_in();
    if (!client.read_until('S')) return;
    const std::string& answer = answers[next++ % answers.size()];
    const std::size_t first = std::min(answer.size(), prepared().size());
    client.send(answer.substr(0, first));
    // It is silent if it waits for the rest of a message.
    if (first != prepared().size() || client.is_silent_for(20)) return;
    if (client.read_until('S')) client.send(answer.substr(first));
  });
  const Postgres db(of(server));
  // Some statements are sent on a connection that is being closed, and get no answer.
  const std::size_t errors = on_loop(app, [&]() -> Task<std::size_t> {
    std::size_t count = 0;
    for (std::size_t i = 0; next < answers.size() && i < 10 * answers.size(); ++i) {
      try {
        co_await db.query<Book>("select id, title, years from book where id = $1", 7);
      } catch (const SqlError&) {
        ++count;
      }
    }
    co_return count;
  });
  EXPECT_GE(next, answers.size());
  EXPECT_GT(errors, answers.size() / 2);
}

TEST_F(HostilePostgres, half_a_message_ends_at_the_deadline) {
  for (const bool with_notices : {false, true}) {
    SCOPED_TRACE(with_notices);
    const FakePostgres server([&](FakePostgres::Client& client) {
      client.log_in();
      client.read_until('Q');  // set statement_timeout
      client.send(message('C', with_nul("SET")) + ready());
      client.read_until('S');
      const std::string notice = message('N', with_nul("SNOTICE") + '\0');
      while (with_notices && client.is_silent_for(20)) client.send(notice);
      client.send(prepared().substr(0, 20));
      client.read_all();
    });
    PostgresOptions options = of(server);
    options.statement_timeout = Milliseconds(50);
    const Postgres db(options);
    const auto begin = Clock::now();
    const Failure failure = query(db);
    EXPECT_EQ(failure.kind, SqlErrorKind::Unavailable);
    EXPECT_THAT(failure.what, HasSubstr("no answer for 1."));
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
  }
}

TEST_F(HostilePostgres, a_login_that_hangs_ends_at_the_deadline) {
  for (const std::string& answer : {std::string(), message('R', number_32(0)).substr(0, 6)}) {
    const FakePostgres server([&](FakePostgres::Client& client) {
      client.read_startup();
      client.send(answer);
      client.read_all();
    });
    PostgresOptions options = of(server);
    options.connect_timeout = Milliseconds(100);
    const Postgres db(options);
    const Failure failure = query(db);
    EXPECT_EQ(failure.kind, SqlErrorKind::Unavailable);
    EXPECT_THAT(failure.what, HasSubstr("no answer for 100 ms"));
  }
}

// --- Logins

TEST_F(HostilePostgres, nonsense_in_the_login_is_an_error) {
  const std::vector<std::string> answers = {
      "HTTP/1.1 400 Bad Request\r\n\r\n",
      std::string(64, '\0'),
      message('R', "", 3),
      message('R', "", 0x7FFF'FFFF) + "x",
      message('R', number_32(99)),
      message('R', number_32(10) + with_nul("NO-SUCH-MECHANISM") + '\0'),
      message('E', "", 0x7FFF'FFFF),
      message('Z', "I"),
  };
  for (const std::string& answer : answers) {
    SCOPED_TRACE(::testing::PrintToString(answer));
    const FakePostgres server([&](FakePostgres::Client& client) {
      client.read_startup();
      client.send(answer);
    });
    const Postgres db(of(server));
    EXPECT_EQ(query(db).kind, SqlErrorKind::Unavailable);
  }
}

TEST_F(HostilePostgres, a_required_channel_binding_sends_no_password_to_a_server_that_wants_less) {
  const std::vector<std::string> weaker = {
      message('R', number_32(0)),                                      // no login at all
      message('R', number_32(3)),                                      // the password as it is
      message('R', number_32(5) + "salt"),                             // MD5
      message('R', number_32(10) + with_nul("SCRAM-SHA-256") + '\0'),  // without the binding
  };
  for (const std::string& answer : weaker) {
    SCOPED_TRACE(::testing::PrintToString(answer));
    const auto [said, failure] = login_answered("sslmode=disable channel_binding=require", answer);
    EXPECT_EQ(failure.kind, SqlErrorKind::Unavailable);
    EXPECT_THAT(failure.what, HasSubstr("channel binding"));
    EXPECT_THAT(said, AnyOf(IsEmpty(), message('X', "")));  // nothing but a Terminate
  }
}

// libpq has it from version 16 on. Before, it must not be ignored.
TEST_F(HostilePostgres, a_method_that_is_required_is_never_ignored) {
  std::string said = "not accepted";
  try {
    said = login_answered("sslmode=disable require_auth=scram-sha-256", message('R', number_32(3))).first;
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("require_auth"));
  }
  EXPECT_THAT(said, Not(HasSubstr("hunter2")));
}

TEST_F(HostilePostgres, tls_that_is_required_cannot_be_stripped) {
  for (const char* mode : {"sslmode=require", "sslmode=verify-ca", "sslmode=verify-full"}) {
    SCOPED_TRACE(mode);
    const auto [said, failure] = login_answered(mode, "N");
    EXPECT_EQ(failure.kind, SqlErrorKind::Unavailable);
    EXPECT_THAT(failure.what, HasSubstr("SSL"));
    EXPECT_THAT(said, IsEmpty());
  }
}

// CVE-2021-23222: what an attacker has sent in front of the handshake must not be taken for the database's.
TEST_F(HostilePostgres, bytes_in_front_of_the_handshake_are_not_read) {
  const std::string key = folder.path.string() + "/key";
  const std::string certificate = folder.path.string() + "/certificate";
  const std::string made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout " + key +
                           " -out " + certificate + " 2>/dev/null";
  ASSERT_EQ(std::system(made.c_str()), 0);
  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  ASSERT_EQ(SSL_CTX_use_certificate_file(context.get(), certificate.c_str(), SSL_FILETYPE_PEM), 1);
  ASSERT_EQ(SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM), 1);
  const auto handler = std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to a connection that the client has closed
  for (const bool injected : {false, true}) {
    SCOPED_TRACE(injected);
    std::atomic<int> startups = 0;
    const FakePostgres server([&](FakePostgres::Client& client) {
      client.read_startup();
      client.send(injected ? "S" + login_done() + prepared() + selected() : "S");
      const std::unique_ptr<SSL, void (*)(SSL*)> tls(SSL_new(context.get()), &SSL_free);
      SSL_set_fd(tls.get(), client.socket());
      char part[256];
      if (SSL_accept(tls.get()) == 1 && SSL_read(tls.get(), part, sizeof part) > 0) ++startups;
    });
    const Postgres db(of(server, "sslmode=require"));
    const Failure failure = query(db);
    EXPECT_EQ(failure.kind, SqlErrorKind::Unavailable);
    EXPECT_EQ(startups > 0, !injected);
    EXPECT_EQ(failure.what.contains("unencrypted data after SSL response"), injected) << failure.what;
  }
  std::signal(SIGPIPE, handler);
}

TEST_F(HostilePostgres, what_is_no_handshake_is_an_error) {
  std::promise<void> refused;
  std::once_flag once;
  const FakePostgres server([&](FakePostgres::Client& client) {
    client.read_startup();
    client.send("S");
    EXPECT_EQ(client.read(3), "\x16\x03\x01");  // a ClientHello
    client.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    EXPECT_THAT(client.read_all(), Not(HasSubstr("ann")));  // no startup message
    std::call_once(once, [&] { refused.set_value(); });
  });
  const Postgres db(of(server, "sslmode=require"));
  EXPECT_EQ(query(db).kind, SqlErrorKind::Unavailable);
  refused.get_future().get();
}

}  // namespace
}  // namespace tern::postgres
