// Forms with files, as HTTP/1.1 carries them. (More, for every protocol, is in tests/transports.)
#include "server/app_test.hpp"

#include "app/multipart_testing.hpp"

#include <tern/base/number.hpp>
#include <tern/multipart.hpp>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

// AddressSanitizer would keep 256 MiB of what was freed; what is measured here needs less.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=4";
}

namespace tern::testing {
namespace {

struct FormUpload {
  std::string name;
  std::vector<UploadedFile> file;
};

class Forms : public AppTest {
protected:
  Forms() {
    app.post("/form", [](const Multipart<FormUpload>& parcel) {
      std::string text = parcel->name;
      for (const UploadedFile& file : parcel->file) text += " " + file.file_name() + ":" + std::to_string(file.size());
      return text;
    });
  }
  // The server may be about to close them on its pool.
  bool all_closed() {
    return all_ended() && running().eventually([this] { return folder.open_files() == 0; });
  }
  bool in_use(std::size_t exchanges) {
    return running().eventually(
        [this, exchanges] { return running().worker().context().exchanges_in_use() == exchanges; });
  }
  static std::string head(std::string_view path, std::string_view fields) {
    return "POST " + std::string(path) + " HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\n" +
           std::string(fields) + "\r\n";
  }
  static std::string announced(std::string_view path, std::size_t size) {
    return head(path, "Content-Length: " + std::to_string(size) + "\r\n");
  }
  static std::string request(std::string_view path, const std::string& content) {
    return announced(path, content.size()) + content;
  }
  static std::string chunk(std::string_view bytes) {
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
    return size + std::string(bytes) + "\r\n";
  }

  TemporaryFolder folder;
};

std::string content_of(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('\n' + (i * 7 + i / 251) % 100);
  return text;
}

TEST_F(Forms, arrive_in_chunks_and_byte_by_byte) {
  const std::string form = FormText().field("name", "x").file("file", "f", "content\r\n--\r\n").complete();
  HttpClient client = this->client();
  client.send(head("/form", "Transfer-Encoding: chunked\r\n"));
  for (const char c : form) client.send(chunk({&c, 1}));
  client.send("0\r\n\r\n");
  EXPECT_EQ(client.answer().body, "x f:13");
  client.send_bytewise(request("/form", form));
  EXPECT_EQ(client.answer().body, "x f:13");
  client.send(request("/form", form) + request("/form", form));
  EXPECT_EQ(client.answer().body, "x f:13");
  EXPECT_EQ(client.answer().body, "x f:13");
}

TEST_F(Forms, boundaries_have_one_to_seventy_characters) {
  HttpClient client = this->client();
  for (const std::size_t length : {1UL, 2UL, 69UL, 70UL, 71UL, 5000UL}) {
    const std::string boundary(length, '-');
    const std::string form =
        "--" + boundary + "\r\nContent-Disposition: form-data; name=name\r\n\r\nx\r\n--" + boundary + "--\r\n";
    client.post("/form", form, "Content-Type: multipart/form-data; boundary=" + boundary + "\r\n");
    EXPECT_EQ(client.answer().status, length <= 70 ? 200 : 400) << length;
  }
}

TEST_F(Forms, are_asked_for_when_the_head_is_accepted) {
  app.post("/limited", [](Multipart<FormUpload> parcel) { return parcel->name; }).limits({.max_body_bytes = 100});
  HttpClient client = this->client();
  const std::string form = FormText().field("name", "x").complete();
  client.send(head("/form", "Expect: 100-continue\r\nContent-Length: " + std::to_string(form.size()) + "\r\n"));
  EXPECT_EQ(client.answer().status, 100);
  client.send(form);
  EXPECT_EQ(client.answer().body, "x");
  client.send(head("/limited", "Expect: 100-continue\r\nContent-Length: 101\r\n"));
  EXPECT_EQ(client.answer().status, 413);
}

// --- Too much ---

// Sends the same piece again and again until the server has had enough: less than makes it reset the connection. The
// client does not end its side: it would count as gone while the server writes a file.
int status_of_endless(HttpClient client, const std::string& begin, const std::string& piece) {
  client.send(begin);
  std::size_t sent = 0;
  for (int i = 0; i < 2000 && sent < 3'500'000 && client.send(piece); ++i) sent += piece.size();
  return client.answer().status;
}

TEST_F(Forms, that_never_end_are_refused_at_a_limit) {
  settings.limits.max_body_bytes = 2'000'000;
  const std::string begin = head("/form", "Transfer-Encoding: chunked\r\n");
  const std::string filler = chunk(std::string(4000, 'x'));
  const std::string part = "--b\r\nContent-Disposition: form-data; name=name";
  EXPECT_EQ(status_of_endless(client(), begin, filler), 400) << "preamble";
  EXPECT_EQ(status_of_endless(client(), begin + chunk("--b--\r\n"), filler), 400) << "epilogue";
  EXPECT_EQ(status_of_endless(client(), begin + chunk("--b\r\nX: "), filler), 431) << "a line of a head";
  EXPECT_EQ(status_of_endless(client(), begin + chunk("--b\r\n"), chunk("X: y\r\n")), 431) << "lines of a head";
  EXPECT_EQ(status_of_endless(client(), begin + chunk(part + "\r\n\r\n"), filler), 413) << "a field";
  EXPECT_EQ(status_of_endless(client(), begin, chunk(part + "\r\n\r\nx\r\n")), 413) << "parts";
  EXPECT_EQ(
      status_of_endless(client(), begin + chunk("--b\r\nContent-Disposition: form-data; name=file; filename=f\r\n\r\n"),
                        filler),
      413)
      << "a file";
  EXPECT_TRUE(all_closed());
}

std::size_t status_value(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t digits = line.find_first_of("0123456789");
    const std::size_t end = line.find_first_not_of("0123456789", digits);
    return base::parse_integer<std::size_t>(std::string_view(line).substr(digits, end - digits)).value_or(0) * 1024;
  }
  return 0;
}

TEST_F(Forms, a_large_upload_takes_no_memory) {
  constexpr std::size_t pieces = 64;
  const std::string piece = content_of(1024 * 1024);
  const std::string begin =
      FormText().field("name", "x").open() + "--b\r\nContent-Disposition: form-data; name=file; filename=f\r\n\r\n";
  const std::string end = "\r\n--b--\r\n";
  app.post("/large", [](Multipart<FormUpload> parcel) { return parcel->file.at(0).size(); })
      .limits({.max_body_bytes = 100 * 1024 * 1024});
  HttpClient client = this->client();
  client.send(request("/form", begin + end));  // what a first upload takes stays
  EXPECT_EQ(client.answer().status, 200);
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak is from now on
  const std::size_t before = status_value("VmRSS:");
  client.send(announced("/large", begin.size() + pieces * piece.size() + end.size()) + begin);
  for (std::size_t i = 0; i < pieces; ++i) ASSERT_TRUE(client.send(piece));
  client.send(end);
  EXPECT_EQ(client.answer().body, std::to_string(pieces * piece.size()));
  const std::size_t peak = status_value("VmHWM:");
  EXPECT_LT(peak, before + 16 * 1024 * 1024);  // of 64; the sanitizers need some beside
  EXPECT_TRUE(all_closed());
  EXPECT_EQ(running().worker().context().shared().memory.used(), 0U);
}

// --- Too little ---

TEST_F(Forms, bytes_beyond_the_declared_length_are_no_content) {
  const std::string form = FormText().field("name", "x").complete();
  HttpClient client = this->client();
  client.send(request("/form", form) + "more\r\n\r\n");
  EXPECT_EQ(client.answer().body, "x");
  EXPECT_EQ(client.answer().status, 400);
  EXPECT_TRUE(client.ends());
}

TEST_F(Forms, may_be_waited_for_with_a_time_limit) {
  app.post("/hurry", [](MultipartStream form) -> Task<std::string> {
    const MultipartPart* part = co_await with_timeout(Milliseconds(20), form.next_part());
    co_return part->name;
  });
  HttpClient client = this->client();
  client.send(announced("/hurry", 1000));
  EXPECT_EQ(client.answer().status, 503);
  EXPECT_TRUE(all_ended());
}

TEST_F(Forms, that_are_under_way_when_the_server_is_ended_leave_nothing) {
  const std::string form = FormText().field("name", "x").file("file", "f", content_of(200'000)).complete();
  {
    RunningServer server(app.service());
    HttpClient client = server.client();
    client.send(announced("/form", form.size()) + form.substr(0, 150'000));
    ASSERT_TRUE(server.eventually([this] { return folder.open_files() == 1; }));
    server.drain(Milliseconds(0));
    server.wait();
  }
  EXPECT_EQ(folder.open_files(), 0U);
}

// --- The pool ---

TEST_F(Forms, a_client_that_goes_while_its_file_waits_for_the_pool_is_forgotten) {
  settings.pool_threads = 1;
  Holder holder;
  app.get("/busy", holder.handler());
  HttpClient first = client();
  first.get("/busy");
  ASSERT_TRUE(running().eventually([&] { return holder.begun() == 1; }));
  HttpClient second = client();
  second.send(request("/form", FormText().field("name", "x").file("file", "f", "content").complete()));
  ASSERT_TRUE(in_use(2));
  second.peer().reset();
  EXPECT_TRUE(in_use(1));
  holder.let_go();
  EXPECT_EQ(first.answer().status, 200);
  EXPECT_TRUE(all_closed());
}

}  // namespace
}  // namespace tern::testing
