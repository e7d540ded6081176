#include <tern/postgres/testing.hpp>

#include <libpq-fe.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace tern::testing {
namespace {

constexpr uid_t unprivileged = 65534;
constexpr std::chrono::seconds start_limit(60);

// Of the newest version that is installed.
std::string programs() {
  std::vector<std::filesystem::path> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
    if (std::filesystem::exists(entry.path() / "bin/postgres")) found.push_back(entry.path() / "bin");
  }
  if (found.empty()) throw std::runtime_error("PostgreSQL is not installed below /usr/lib/postgresql");
  return std::ranges::max(found).string() + '/';
}

// A port that is free now.
int free_port() {
  const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = ::bind(listening, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                     ::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(listening);
  if (!bound) throw std::runtime_error("there is no free port");
  return ntohs(address.sin_port);
}

// Starts a program as an unprivileged user; its output goes to a file. It ends with this process.
pid_t launch(std::vector<std::string> words, const std::string& log) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const bool is_root = ::geteuid() == 0;
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (is_root && (::setgid(unprivileged) != 0 || ::setuid(unprivileged) != 0)) ::_exit(126);
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (::freopen(log.c_str(), "a", stdout) != nullptr) ::dup2(STDOUT_FILENO, STDERR_FILENO);
  ::execv(pointers[0], pointers.data());
  ::_exit(127);
}

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

using Connection = std::unique_ptr<PGconn, void (*)(PGconn*)>;
using Result = std::unique_ptr<PGresult, void (*)(PGresult*)>;

}  // namespace

PostgresServer::PostgresServer() : PostgresServer(Options()) {}

PostgresServer::PostgresServer(Options options) : options_(std::move(options)) {
  std::string folder = "/tmp/tern-postgres-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("there is no temporary folder");
  folder_ = folder;
  if (::geteuid() == 0 && ::chown(folder.c_str(), unprivileged, unprivileged) != 0)
    throw std::runtime_error("chown fails");
  port_ = options_.on_port ? free_port() : 5432;
  url_ = "host=" + folder_ + " port=" + std::to_string(port_) + " user=postgres dbname=postgres";
  initialise();
  start();
}

PostgresServer::~PostgresServer() {
  stop();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void PostgresServer::initialise() {
  const std::string log = folder_ + "/initdb.log";
  const pid_t child = launch({programs() + "initdb", "--pgdata=" + folder_ + "/data", "--username=postgres",
                              "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"},
                             log);
  int status = 0;
  if (::waitpid(child, &status, 0) != child || status != 0) throw std::runtime_error("initdb: " + content_of(log));
  std::ofstream configuration(folder_ + "/data/postgresql.conf", std::ios::app);
  configuration << "fsync = off\nfull_page_writes = off\nport = " << port_ << "\nunix_socket_directories = '" << folder_
                << "'\nlisten_addresses = '" << (options_.on_port ? "127.0.0.1" : "") << "'\n";
  for (const std::string& setting : options_.settings) configuration << setting << '\n';
  if (options_.access.empty()) return;
  const std::string rules = folder_ + "/data/pg_hba.conf";
  const std::string before = content_of(rules);
  std::ofstream access(rules);
  for (const std::string& line : options_.access) access << line << '\n';
  access << before;
}

void PostgresServer::start() {
  const std::string log = folder_ + "/log";
  process_ = launch({programs() + "postgres", "-D", folder_ + "/data"}, log);
  const auto end = std::chrono::steady_clock::now() + start_limit;
  while (PQping(url_.c_str()) != PQPING_OK) {
    const bool ended = ::waitpid(process_, nullptr, WNOHANG) == process_;
    if (ended) process_ = -1;
    if (ended || std::chrono::steady_clock::now() > end) throw std::runtime_error("postgres: " + content_of(log));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void PostgresServer::stop() {
  if (process_ < 0) return;
  signal_all(SIGCONT);
  ::kill(process_, SIGQUIT);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

void PostgresServer::pause() {
  signal_all(SIGSTOP);
}

void PostgresServer::resume() {
  signal_all(SIGCONT);
}

// Each of its processes has a group of its own.
void PostgresServer::signal_all(int number) const {
  if (process_ < 0) return;
  ::kill(process_, number);
  const std::string id = std::to_string(process_);
  std::istringstream children(content_of("/proc/" + id + "/task/" + id + "/children"));
  for (pid_t child = 0; children >> child;) ::kill(child, number);
}

std::string PostgresServer::run(const std::string& statements) const {
  const Connection connection(PQconnectdb(url_.c_str()), &PQfinish);
  PQsetNoticeProcessor(connection.get(), [](void*, const char*) {}, nullptr);
  const Result result(PQexec(connection.get(), statements.c_str()), &PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    throw std::runtime_error(PQerrorMessage(connection.get()));
  }
  return PQntuples(result.get()) > 0 && PQnfields(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

PostgresSchema::PostgresSchema(const PostgresServer& server) : server_(server) {
  static std::atomic<std::uint64_t> last = 0;
  name_ = "test_" + std::to_string(::getpid()) + '_' + std::to_string(++last);
  server_.run("create schema " + name_);
  url_ = server_.url() + " options='-c search_path=" + name_ + "'";
}

PostgresSchema::~PostgresSchema() {
  try {
    server_.run("drop schema " + name_ + " cascade");
  } catch (const std::runtime_error&) {
    // The server does not run: the schema ends with it.
  }
}

}  // namespace tern::testing
