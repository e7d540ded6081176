// Hello with POCO: measures the compile time of a user's file.
#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServer.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Util/ServerApplication.h>

#include <iostream>
#include <string_view>

class Hello : public Poco::Net::HTTPRequestHandler {
  void handleRequest(Poco::Net::HTTPServerRequest& request, Poco::Net::HTTPServerResponse& response) override {
    constexpr std::string_view content = "Hello, World!";
    if (request.getURI() != "/hello") response.setStatusAndReason(Poco::Net::HTTPResponse::HTTP_NOT_FOUND);
    response.setContentType("text/plain");
    response.sendBuffer(content.data(), content.size());
  }
};

class Factory : public Poco::Net::HTTPRequestHandlerFactory {
  Poco::Net::HTTPRequestHandler* createRequestHandler(const Poco::Net::HTTPServerRequest&) override {
    return new Hello;
  }
};

class Application : public Poco::Util::ServerApplication {
  int main(const std::vector<std::string>&) override {
    Poco::Net::HTTPServer server(new Factory, 8080);
    server.start();
    waitForTerminationRequest();
    server.stop();
    return 0;
  }
};

POCO_SERVER_MAIN(Application)
