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

class Session : public std::enable_shared_from_this<Session> {
public:
  Session(asio::ip::tcp::socket socket, asio::thread_pool& pool) : stream_(std::move(socket)), pool_(pool) {
    stream_.socket().set_option(asio::ip::tcp::no_delay(true));
  }

  void read() {
    parser_.emplace();
    parser_->body_limit(20'000'000);
    stream_.expires_after(std::chrono::seconds(60));
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) { self->on_read(error); });
  }

private:
  void on_read(beast::error_code error) {
    if (error == http::error::end_of_stream) {
      stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, error);
    }
    if (error) return;
    request_ = parser_->release();
    if (auto made = answer(request_)) return write(std::move(*made));
    asio::post(pool_, [self = shared_from_this()] {
      const std::string target(self->request_.target());
      std::string sum = bench::calculated(target.substr(target.find('=') + 1));
      asio::post(self->stream_.get_executor(), [self, sum] { self->write(response(self->request_, sum)); });
    });
  }

  void write(Response made) {
    response_ = std::move(made);
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return;
      if (!self->response_.need_eof()) return self->read();
      self->stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, error);
    });
  }

  beast::tcp_stream stream_;
  asio::thread_pool& pool_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  Request request_;
  Response response_;
};

void accept(asio::ip::tcp::acceptor& acceptor, asio::thread_pool& pool) {
  acceptor.async_accept([&](beast::error_code error, asio::ip::tcp::socket socket) {
    if (!error) std::make_shared<Session>(std::move(socket), pool)->read();
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
