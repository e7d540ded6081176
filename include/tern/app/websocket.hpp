// Handlers of WebSockets: the argument of App::websocket(), and its conversion to an endpoint.
#pragma once

#include <tern/app/bind.hpp>
#include <tern/app/large_value.hpp>
#include <tern/coro/offload.hpp>
#include <tern/http/websocket.hpp>
#include <tern/json/read.hpp>
#include <tern/json/write.hpp>

#include <concepts>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern {

template <class T>
void append_json(std::string& out, const Json<T>& json) {
  json::write(out, json.value);
}

// The WebSocket that the request is upgraded to.
template <>
struct Extract<WebSocket> {
  static std::expected<WebSocket, Rejection> from(Request& request);
};

namespace app {

// The second parameter of H::message.
template <class M>
struct MessageParameter {
  using type = void;
};
template <class H, class S, class M>
  requires std::is_same_v<std::remove_cvref_t<S>, WebSocket>
struct MessageParameter<void (H::*)(S, M)> {
  using type = std::remove_cvref_t<M>;
};
template <class H, class S, class M>
  requires std::is_same_v<std::remove_cvref_t<S>, WebSocket>
struct MessageParameter<void (H::*)(S, M) noexcept> {
  using type = std::remove_cvref_t<M>;
};

template <class M>
inline constexpr bool is_json = false;
template <class T>
inline constexpr bool is_json<Json<T>> = true;

template <class H>
concept HasMessage = std::is_class_v<H> && requires { &H::message; };

template <class M>
concept UsableMessage = std::is_same_v<M, std::string_view> || std::is_same_v<M, std::string> ||
                        std::is_same_v<M, MessageView> || std::is_same_v<M, Message> || is_json<M>;

// Adapts a handler object to the interface of servers.
template <class H>
class CallingSocketHandler final : public http::SocketHandler {
public:
  explicit CallingSocketHandler(H&& handler) : handler_(std::move(handler)) {}

  void open(WebSocket& socket) override {
    if constexpr (requires { handler_.open(socket); }) handler_.open(socket);
  }

  std::uint16_t message(WebSocket& socket, MessageView message) override {
    using M = Parameter;
    if constexpr (std::is_same_v<M, MessageView>) {
      handler_.message(socket, message);
    } else if constexpr (std::is_same_v<M, Message>) {
      handler_.message(socket, Message{std::string(message.content), message.is_text});
    } else {
      if (!message.is_text) return unsupported_data;
      if constexpr (is_json<M>) {
        auto value = json::read<decltype(M::value)>(message.content, {.is_request = true});
        if (!value) return invalid_payload;
        handler_.message(socket, M{{std::move(*value)}});
      } else {
        handler_.message(socket, M(message.content));
      }
    }
    return 0;
  }

  bool computes(MessageView message) const noexcept override {
    return is_json<Parameter> && message.is_text && message.content.size() >= large_content;
  }

  Task<> compute(WebSocket& socket, Message given) override {
    if constexpr (is_json<Parameter>) {
      const Message message = std::move(given);  // goes before the frame does
      const auto read = [&message] {
        return json::read<decltype(Parameter::value)>(message.content, {.is_request = true});
      };
      std::optional<std::invoke_result_t<decltype(read)>> value;
      try {
        value.emplace(co_await offload(read));
      } catch (const Overloaded&) {
        throw http::MessageRefused{try_again_later};
      }
      if (!*value) throw http::MessageRefused{invalid_payload};
      if (closed_) co_return;
      Parameter parameter{{std::move(**value)}};
      parameter.came_from(message.content.size());
      handler_.message(socket, std::move(parameter));
    }
    co_return;
  }

  void drained(WebSocket& socket) override {
    if constexpr (requires { handler_.drained(socket); }) handler_.drained(socket);
  }

  void closed(WebSocket& socket, std::uint16_t code, std::string_view reason) override {
    closed_ = true;
    if constexpr (requires { handler_.close(socket, code, reason); }) handler_.close(socket, code, reason);
  }

private:
  using Parameter = typename MessageParameter<decltype(&H::message)>::type;
  static constexpr std::uint16_t unsupported_data = 1003;
  static constexpr std::uint16_t invalid_payload = 1007;
  static constexpr std::uint16_t try_again_later = 1013;

  H handler_;
  bool closed_ = false;
};

WebSocket socket_of(Request& request);

// A WebSocket's handler and options, in the form that Binding calls.
template <class F, class R>
struct SocketRoute {
  using AnswersItself = void;

  template <class... A>
  Response answer(Request& request, bool keeps_request, A&&... parameters) const {
    base::Box<http::SocketUpgrade> upgrade(new http::SocketUpgrade);
    upgrade->options = &options;
    upgrade->socket = socket_of(request);
    if constexpr (is_task<R>) {
      upgrade->task = handler(std::forward<A>(parameters)...);
      upgrade->keeps_request = keeps_request;
    } else {
      upgrade->handler =
          base::Box<http::SocketHandler>(new CallingSocketHandler<R>(handler(std::forward<A>(parameters)...)));
    }
    return http::upgrade_to(upgrade.release());
  }

  F handler;
  WebSocketOptions options;
};

template <class R, class Arguments>
consteval bool usable_socket_result() {
  if constexpr (std::is_same_v<R, Task<>>) return takes_socket<Arguments>;
  return HasMessage<R>;
}

template <class R>
consteval bool usable_message() {
  if constexpr (HasMessage<R>) return UsableMessage<typename MessageParameter<decltype(&R::message)>::type>;
  return true;
}

// The fault of invalid options; empty if there is none.
std::string_view mistake_of(const WebSocketOptions& options) noexcept;

// Compile-time errors for an unusable handler.
template <class F>
Endpoint bind_socket(F handler, WebSocketOptions options) {
  using Traits = HandlerTraits<F>;
  static_assert(Traits::kind != Callable::Mutable,
                "tern: handlers are shared by all loops and called as const, so a mutable lambda cannot be one: keep "
                "what changes in the object or coroutine of each WebSocket, in tern::State or tern::PerLoop");
  static_assert(Traits::kind == Callable::Usable || Traits::kind == Callable::Mutable,
                "tern: a WebSocket's handler is a function, a lambda, or an object with one const operator() whose "
                "parameters are named types");
  if constexpr (Traits::kind == Callable::Usable) {
    using Arguments = typename Traits::Arguments;
    using Result = typename Traits::Result;
    constexpr bool usable_result = usable_socket_result<Result, Arguments>();
    static_assert(Parameters<Arguments>::usable,
                  "tern: a WebSocket's handler takes tern::WebSocket, tern::Request&, placeholders and extractors, by "
                  "value or const reference; one of its parameters is none of these");
    static_assert(!Parameters<Arguments>::mixed,
                  "tern: a handler takes its placeholders by position or by name (tern::Path), not both ways at once");
    static_assert(
        usable_result,
        "tern: a WebSocket's handler is a coroutine that takes a tern::WebSocket and returns tern::Task<>, or "
        "returns an object with a member message(tern::WebSocket&, M), not overloaded");
    static_assert(usable_message<Result>(),
                  "tern: the member message(tern::WebSocket&, M) of a WebSocket's handler returns void, and M is "
                  "std::string_view or std::string (text only), tern::MessageView, tern::Message or tern::Json<T>");
    if constexpr (Parameters<Arguments>::usable && !Parameters<Arguments>::mixed && usable_result &&
                  usable_message<Result>()) {
      using Route = SocketRoute<F, Result>;
      const std::string_view mistake = mistake_of(options);
      Endpoint endpoint = make_endpoint<Route, Result>(Route{std::move(handler), std::move(options)}, Arguments{});
      endpoint.mistake = mistake;
      endpoint.is_socket = true;
      return endpoint;
    }
  }
  return {};
}

}  // namespace app
}  // namespace tern
