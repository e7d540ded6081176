// Hello with Boost.Beast, in its shortest form: one connection after the other.
// Measures the compile time of a user's file.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

int main() {
  asio::io_context context;
  asio::ip::tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 8080});
  while (true) {
    beast::tcp_stream stream(acceptor.accept());
    beast::flat_buffer buffer;
    beast::error_code error;
    http::request<http::string_body> request;
    while (http::read(stream, buffer, request, error), !error) {
      http::response<http::string_body> response(http::status::ok, request.version());
      if (request.target() != "/hello") response.result(http::status::not_found);
      response.set(http::field::content_type, "text/plain");
      response.keep_alive(request.keep_alive());
      response.body() = "Hello, World!";
      response.prepare_payload();
      http::write(stream, response, error);
      request = {};
    }
  }
}
