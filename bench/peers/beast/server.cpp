// What bench/peers/README.md asks for, with Boost.Beast: the asynchronous server of its examples.   server PORT
#include "common.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json/src.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Response = http::response<http::string_body>;
using Request = http::request<http::string_body>;

namespace {

// Of this second.
const std::string& date() {
  static std::time_t known = 0;
  static std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != known) {
    known = now;
    char buffer[64];
    std::tm parts = {};
    gmtime_r(&now, &parts);
    text.assign(buffer, std::strftime(buffer, sizeof buffer, "%a, %d %b %Y %H:%M:%S GMT", &parts));
  }
  return text;
}

Response response(const Request& request, std::string content, const char* type = "text/plain") {
  Response made(http::status::ok, request.version());
  made.set(http::field::date, date());
  made.set(http::field::content_type, type);
  made.keep_alive(request.keep_alive());
  made.body() = std::move(content);
  made.prepare_payload();
  return made;
}

std::string greeting(const std::string& body) {
  const boost::json::value item = boost::json::parse(body);
  const std::string name(item.at("name").as_string());
  const std::int64_t value = item.at("value").to_number<std::int64_t>();
  return boost::json::serialize(boost::json::object{
      {"greeting", "Hello, " + name + "!"}, {"item", {{"name", name}, {"value", value}, {"double", 2 * value}}}});
}

// None for what takes long.
std::optional<Response> answer(const Request& request) {
  const std::string_view target = request.target();
  constexpr std::string_view user = "/user/";
  if (request.method() == http::verb::get) {
    if (target == "/") return response(request, "Hello, World!");
    if (target == "/json") {
      return response(request, boost::json::serialize(boost::json::object{{"message", "Hello, World!"}}),
                      "application/json");
    }
    if (target.starts_with(user)) return response(request, std::string(target.substr(user.size())));
    if (target.starts_with("/calc?")) return std::nullopt;
  } else if (request.method() == http::verb::post) {
    if (target == "/json") return response(request, greeting(request.body()), "application/json");
    if (target == "/echo") return response(request, request.body());
    if (target == "/upload") return response(request, std::to_string(request.body().size()));
  }
  Response missing = response(request, "not found");
  missing.result(http::status::not_found);
  return missing;
}

// A connection, owned by what is in flight for it.
struct Session {
  Session(asio::ip::tcp::socket socket, asio::thread_pool& pool) : stream(std::move(socket)), pool(pool) {
    stream.socket().set_option(asio::ip::tcp::no_delay(true));
  }

  beast::tcp_stream stream;
  asio::thread_pool& pool;
  beast::flat_buffer buffer;
  std::optional<http::request_parser<http::string_body>> parser;
  Request request;
  Response response;
};
using Owner = std::shared_ptr<Session>;

void read(const Owner& session);

void write(const Owner& session, Response made) {
  session->response = std::move(made);
  http::async_write(session->stream, session->response, [session](beast::error_code error, std::size_t) {
    if (error) return;
    if (!session->response.need_eof()) return read(session);
    session->stream.socket().shutdown(asio::ip::tcp::socket::shutdown_send, error);
  });
}

void compute(const Owner& session) {
  asio::post(session->pool, [session] {
    const std::string_view target = session->request.target();
    std::string sum = bench::calculated(target.substr(target.find('=') + 1));
    asio::post(session->stream.get_executor(), [session, sum] { write(session, response(session->request, sum)); });
  });
}

void read(const Owner& session) {
  session->parser.emplace();
  session->parser->body_limit(20'000'000);
  session->stream.expires_after(std::chrono::seconds(60));
  http::async_read(session->stream, session->buffer, *session->parser, [session](beast::error_code error, std::size_t) {
    if (error == http::error::end_of_stream) {
      beast::error_code ignored;
      session->stream.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    }
    if (error) return;
    session->request = session->parser->release();
    if (auto made = answer(session->request)) return write(session, std::move(*made));
    compute(session);
  });
}

void accept(asio::ip::tcp::acceptor& acceptor, asio::thread_pool& pool) {
  acceptor.async_accept([&](beast::error_code error, asio::ip::tcp::socket socket) {
    if (!error) read(std::make_shared<Session>(std::move(socket), pool));
    if (acceptor.is_open()) accept(acceptor, pool);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  asio::io_context context(1);
  asio::thread_pool pool(std::max(1U, std::thread::hardware_concurrency()));
  const asio::ip::tcp::endpoint address(asio::ip::address_v4::loopback(), bench::number<std::uint16_t>(argv[1]));
  asio::ip::tcp::acceptor acceptor(context, address);
  acceptor.listen(16384);
  asio::signal_set signals(context, SIGTERM);
  signals.async_wait([&](beast::error_code, int) { context.stop(); });
  accept(acceptor, pool);
  context.run();
  pool.join();
}
