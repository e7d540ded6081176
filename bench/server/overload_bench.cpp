// What load shedding does at twice the load that can be carried: `script/bench overload`. One process: an app with one
// loop, or two threads of the pool, and clients that send at a fixed rate, whatever comes back. The first half second
// is in a column of its own. Latencies count from when a request was due. Medians of three rounds; one without
// shedding, where nothing is close.
#include <tern/base/number.hpp>
#include <tern/tern.hpp>
#include <tern/web.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::duration;

constexpr int clients = 128;
constexpr double seconds = 3;     // that are measured
constexpr double settling = 0.5;  // before
constexpr std::size_t rounds = 3;

void burn(double milliseconds) {
  timespec begin{};
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (static_cast<double>(now.tv_sec - begin.tv_sec) * 1e3 +
               static_cast<double>(now.tv_nsec - begin.tv_nsec) * 1e-6 <
           milliseconds);
}

int connect_to(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? socket : -1;
}

// The status of one request; 0 if the connection broke.
int ask(int socket, const std::string& request) {
  if (::send(socket, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) return 0;
  std::string answer;
  char buffer[4096];
  while (true) {
    const ssize_t size = ::recv(socket, buffer, sizeof buffer, 0);
    if (size <= 0) return 0;
    answer.append(buffer, static_cast<std::size_t>(size));
    const std::size_t end = answer.find("\r\n\r\n");
    const std::size_t length = answer.find("Content-Length: ");
    if (end == answer.npos || length == answer.npos) continue;
    const std::string digits = answer.substr(length + 16, answer.find('\r', length) - length - 16);
    const std::size_t content = tern::base::parse_integer<std::size_t>(digits).value_or(0);
    if (answer.size() < end + 4 + content) continue;
    return tern::base::parse_integer<int>(answer.substr(9, 3)).value_or(0);
  }
}

double p99(std::vector<double>& values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() * 99 / 100];
}

struct Result {
  std::vector<double> accepted;      // milliseconds, from `settling` on
  std::vector<double> all_accepted;  // from the first request on
  std::vector<double> refused;
  double goodput() const { return static_cast<double>(accepted.size()) / seconds; }
};

// `rate` requests a second; 0: as many as `count` clients can.
Result run(std::uint16_t port, const std::string& path, double rate, int count = clients) {
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
  Result result;
  std::mutex mutex;
  std::atomic<int> next = 0;
  const auto begin = Clock::now() + std::chrono::milliseconds(50);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&] {
        const int socket = connect_to(port);
        while (true) {
          auto due = Clock::now();
          if (rate > 0) due = begin + std::chrono::duration_cast<Clock::duration>(duration<double>(next++ / rate));
          if (due - begin > duration<double>(settling + seconds)) break;
          std::this_thread::sleep_until(due);
          const int status = ask(socket, request);
          const double time = duration<double, std::milli>(Clock::now() - due).count();
          const std::lock_guard lock(mutex);
          if (status == 200) result.all_accepted.push_back(time);
          if (due - begin < duration<double>(settling)) continue;
          (status == 200 ? result.accepted : result.refused).push_back(time);
        }
        ::close(socket);
      });
    }
  }
  return result;
}

// The figures of one round, in the order of the columns.
std::vector<double> measure(const std::string& path, bool sheds) {
  tern::App app;
  if (sheds) app.use(tern::LoadShedding());
  app.get("/loop", [] {
    burn(2);
    return "done";
  });
  app.get("/pool", tern::blocking([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            return "done";
          }));
  tern::Options options;
  options.port = 0;
  options.threads = 1;
  options.pool = {.threads = 2, .sheds_load = sheds};
  options.logging.level = tern::LogLevel::Off;
  app.start(options);
  const double most = run(app.port(), path, 0, 4).goodput();
  Result calm = run(app.port(), path, most * 0.3);
  Result twice = run(app.port(), path, most * 2);
  return {most,
          p99(calm.accepted),
          100 * twice.goodput() / most,
          p99(twice.accepted),
          p99(twice.all_accepted),
          static_cast<double>(twice.refused.size()),
          p99(twice.refused)};
}

void print_medians(const char* what, const std::string& path, bool sheds) {
  std::vector<std::vector<double>> columns;
  for (std::size_t round = 0; round < (sheds ? rounds : 1); ++round) {
    const std::vector<double> figures = measure(path, sheds);
    columns.resize(figures.size());
    for (std::size_t i = 0; i < figures.size(); ++i) columns[i].push_back(figures[i]);
  }
  std::vector<double> median;
  for (std::vector<double>& column : columns) {
    std::ranges::sort(column);
    median.push_back(column[column.size() / 2]);
  }
  std::printf(
      "| %s | %s | %.0f | %.1f ms | %.0f %% | %.1f ms (%.1f times) | %.1f ms (%.1f times) | %.0f, p99 %.1f ms |\n",
      what, sheds ? "on" : "off", median[0], median[1], median[2], median[3], median[3] / median[1], median[4],
      median[4] / median[1], median[5], median[6]);
  std::fflush(stdout);
}

}  // namespace

int main() {
  std::puts(
      "| work | shedding | most a second | p99 at 0.3 of it | goodput at twice of it | p99 of accepted | with the "
      "first "
      "half second | refused |");
  std::puts("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const bool sheds : {false, true}) {
    print_medians("2 ms on the loop", "/loop", sheds);
    print_medians("10 ms on one of two threads", "/pool", sheds);
  }
}
