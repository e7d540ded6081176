// For tests: requests that are served at the same time, by an executor of the test.
#pragma once

#include "coro/manual_executor.hpp"

#include <tern/http/memory_exchange.hpp>
#include <tern/tern.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::web {

// A request that is served without a server, by an executor of the test.
class ServedRequest {
public:
  using FieldList = std::vector<std::pair<std::string, std::string>>;

  explicit ServedRequest(App& app, Method method = Method::Get, std::string target = "/", FieldList fields = {},
                         std::string body = {})
      : exchange_(method, std::move(target), std::move(fields), std::move(body)),
        task_(answer(app.service().serve(exchange_)), exchange_.stop().state()) {}

  bool ended() const { return response_.has_value(); }
  Response& response() { return *response_; }
  std::string field(std::string_view name) { return std::string(response_->field(name).value_or("")); }
  void disconnect() { exchange_.disconnect(); }
  void destroy() { task_.destroy(); }

private:
  Task<> answer(Reply reply) {
    Response response = co_await std::move(reply);
    response_ = std::move(response);
  }

  MemoryExchange exchange_;
  std::optional<Response> response_;
  coro::StartedTask<> task_;
};

}  // namespace tern::web
