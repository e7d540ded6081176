// The program of dev_test.js: dev-program FILE serves the text of FILE as a page, or ends with 3 if that is "exit".
#include <tern/tern.hpp>

#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) return 2;
  if (text == "exit") return 3;
  tern::App app;
  app.get("/", [text] { return tern::Response::html("<!DOCTYPE html><title>page</title><h1>" + text + "</h1>"); });
  return app.run();
}
