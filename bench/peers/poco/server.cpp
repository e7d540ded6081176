// What bench/peers/README.md asks for, with POCO.   server PORT
#include "common.hpp"

#include <Poco/JSON/Object.h>
#include <Poco/JSON/Parser.h>
#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServer.h>
#include <Poco/Net/HTTPServerParams.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/StreamCopier.h>
#include <Poco/ThreadPool.h>
#include <Poco/Timestamp.h>

#include <csignal>
#include <sstream>
#include <string>

namespace {

using Request = Poco::Net::HTTPServerRequest;
using Response = Poco::Net::HTTPServerResponse;

void answer(Response& response, const std::string& content, const std::string& type = "text/plain") {
  response.setDate(Poco::Timestamp());
  response.setContentType(type);
  response.sendBuffer(content.data(), content.size());
}

std::string text_of(const Poco::JSON::Object& object) {
  std::ostringstream text;
  object.stringify(text);
  return text.str();
}

std::string body_of(Request& request) {
  std::string body;
  Poco::StreamCopier::copyToString(request.stream(), body, 64 * 1024);
  return body;
}

std::string greeting(const std::string& body) {
  Poco::JSON::Parser parser;
  const auto asked = parser.parse(body).extract<Poco::JSON::Object::Ptr>();
  const auto name = asked->getValue<std::string>("name");
  const auto value = asked->getValue<Poco::Int64>("value");
  Poco::JSON::Object item(Poco::JSON_PRESERVE_KEY_ORDER);
  item.set("name", name).set("value", value).set("double", 2 * value);
  Poco::JSON::Object made(Poco::JSON_PRESERVE_KEY_ORDER);
  made.set("greeting", "Hello, " + name + "!").set("item", item);
  return text_of(made);
}

class Handler : public Poco::Net::HTTPRequestHandler {
public:
  void handleRequest(Request& request, Response& response) override {
    const std::string& target = request.getURI();
    const std::string user = "/user/";
    const std::string calc = "/calc?value=";
    const bool is_post = request.getMethod() == "POST";
    if (!is_post && target == "/") {
      answer(response, "Hello, World!");
    } else if (!is_post && target == "/json") {
      Poco::JSON::Object message;
      message.set("message", "Hello, World!");
      answer(response, text_of(message), "application/json");
    } else if (!is_post && target.rfind(user, 0) == 0) {
      answer(response, target.substr(user.size()));
    } else if (!is_post && target.rfind(calc, 0) == 0) {
      answer(response, bench::calculated(target.substr(calc.size())));
    } else if (is_post && target == "/json") {
      answer(response, greeting(body_of(request)), "application/json");
    } else if (is_post && target == "/echo") {
      answer(response, body_of(request));
    } else if (is_post && target == "/upload") {
      answer(response, std::to_string(body_of(request).size()));
    } else {
      response.setStatusAndReason(Poco::Net::HTTPResponse::HTTP_NOT_FOUND);
      answer(response, "not found");
    }
  }
};

class Factory : public Poco::Net::HTTPRequestHandlerFactory {
public:
  Poco::Net::HTTPRequestHandler* createRequestHandler(const Request&) override { return new Handler; }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  Poco::Net::ServerSocket listener;
  listener.bind(Poco::Net::SocketAddress("127.0.0.1", bench::number<Poco::UInt16>(argv[1])), true);
  listener.listen(16384);
  Poco::ThreadPool pool(16, 1024);
  auto* parameters = new Poco::Net::HTTPServerParams;  // the server shares its ownership
  parameters->setMaxKeepAliveRequests(0);
  parameters->setKeepAliveTimeout(Poco::Timespan(60, 0));
  parameters->setMaxThreads(1024);
  parameters->setMaxQueued(16384);
  Poco::Net::HTTPServer server(new Factory, pool, listener, parameters);
  server.start();
  int signal = 0;
  sigwait(&signals, &signal);
  server.stopAll(true);
}
