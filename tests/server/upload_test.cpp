// Uploads that are far larger than the memory for them.
#include "server/app_test.hpp"

#include <charconv>
#include <fstream>
#include <string>
#include <thread>

namespace tern::testing {
namespace {

// The sanitizers' allocators keep what was freed, so that only the numbers of an ordinary build mean something.
constexpr bool measured = !TERN_SANITIZED;
constexpr std::size_t blocks = TERN_SANITIZED ? 1024 : 16 * 1024;
constexpr std::size_t block = 64 * 1024;
constexpr std::size_t pause_every = 16 * 1024 * 1024;
constexpr std::size_t max_held = 1024 * 1024;

// Bytes, from /proc/self/status.
std::size_t memory(std::string_view kind) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kind)) continue;
    const std::size_t digits = line.find_first_of("0123456789");
    std::size_t kilobytes = 0;
    std::from_chars(line.data() + digits, line.data() + line.size(), kilobytes);
    return kilobytes * 1024;
  }
  ADD_FAILURE() << "no " << kind;
  return 0;
}
// The most memory that was resident, since reset_peak() where the kernel allows that, without the program's own pages.
std::size_t peak() {
  return memory("VmHWM:") - memory("RssFile:");
}
void reset_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

class Uploads : public AppTest {
protected:
  Uploads() {
    app.get("/", [] { return "ready"; });
    app.post("/{slow}", [](bool slow, BodyStream body) -> Task<std::string> {
      std::size_t total = 0;
      std::size_t pause_at = pause_every;
      while (const auto piece = co_await body.next()) {
        total += piece->size();
        if (!slow || total < pause_at) continue;
        pause_at += pause_every;
        co_await sleep_for(Milliseconds(1));
      }
      co_return std::to_string(total);
    });
  }

  // Sends one block again and again.
  void upload(bool slow, bool chunked) {
    HttpClient client = this->client();
    EXPECT_EQ(client.ask("/").body, "ready");
    std::string bytes(block, 'x');
    if (chunked) bytes = "10000\r\n" + bytes + "\r\n";
    reset_peak();
    const std::size_t before = peak();
    client.send(std::string("POST /") + (slow ? "true" : "false") + " HTTP/1.1\r\nHost: test\r\n" +
                (chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + std::to_string(blocks * block)) +
                "\r\n\r\n");
    for (std::size_t i = 0; i < blocks; ++i) ASSERT_TRUE(client.send(bytes));
    if (chunked) client.send("0\r\n\r\n");
    const std::string answer = client.receive_some(1000);  // in less memory than answer() takes
    EXPECT_TRUE(answer.ends_with("\r\n\r\n" + std::to_string(blocks * block))) << answer;
    const std::size_t grown = peak() - before;
    RecordProperty("grown", std::to_string(grown));
    if (measured) {
      EXPECT_LT(grown, max_held);
    }
    EXPECT_EQ(running().worker().context().shared().memory.used(), 0U);
  }
};

TEST_F(Uploads, by_length_are_not_held) {
  upload(false, false);
}

TEST_F(Uploads, in_chunks_are_not_held) {
  upload(false, true);
}

TEST_F(Uploads, to_a_slow_handler_are_not_held_either) {
  upload(true, false);
  upload(true, true);
}

}  // namespace
}  // namespace tern::testing
