// For tests of programs that use PostgreSQL: a server of the test's own, and schemas in it.
#pragma once

#include <string>
#include <vector>

namespace tern::testing {

// A PostgreSQL in a temporary folder, on a Unix socket (and a free port of 127.0.0.1, if it is asked for). It ends with
// this object, or with the thread that has started it. In a process of root, it runs with the user id 65534. One for
// all tests of a program is enough:
//
//   const std::string& database() {
//     static tern::testing::PostgresServer server;
//     return server.url();
//   }
//
// Its functions block; from one thread.
class PostgresServer {
public:
  struct Options {
    std::vector<std::string> settings = {};  // of postgresql.conf: "max_connections = 5"
    bool on_port = false;
    std::vector<std::string> access = {};  // lines of pg_hba.conf, in front of those that trust everyone
  };

  // Starts it. Throws std::runtime_error if PostgreSQL is not installed, or does not start.
  PostgresServer();
  explicit PostgresServer(Options options);
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer();

  // A connection string of the superuser "postgres"; valid also while it does not run.
  const std::string& url() const noexcept { return url_; }
  int port() const noexcept { return port_; }
  const std::string& folder() const noexcept { return folder_; }

  // All of its processes end at once, and it is started again.
  void stop();
  void start();
  // Its processes hang, and go on.
  void pause();
  void resume();

  // Runs statements as the superuser; the first column of the first row. Throws std::runtime_error.
  std::string run(const std::string& statements) const;

private:
  void initialise();
  void signal_all(int number) const;

  Options options_;
  std::string folder_;
  std::string url_;
  int port_ = 0;
  int process_ = -1;
};

// A schema of its own for one test, which is dropped with everything in it at the end.
class PostgresSchema {
public:
  explicit PostgresSchema(const PostgresServer& server);
  PostgresSchema(const PostgresSchema&) = delete;
  PostgresSchema& operator=(const PostgresSchema&) = delete;
  ~PostgresSchema();

  // A connection string whose tables are in the schema.
  const std::string& url() const noexcept { return url_; }
  const std::string& name() const noexcept { return name_; }

private:
  const PostgresServer& server_;
  std::string name_;
  std::string url_;
};

}  // namespace tern::testing
