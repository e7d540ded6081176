// A chat: what one member of a room sends, all members get. The page at / is a client.
#include "app.hpp"

namespace {

constexpr std::string_view page = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>@NAME@</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
  input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem }
</style>
<h1>@NAME@</h1>
<form><label>Message <input name="text" autocomplete="off" autofocus></label></form>
<ul aria-live="polite"></ul>
<script>
  const socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/rooms/lobby");
  socket.onmessage = ({data}) => {
    const line = document.createElement("li");
    line.textContent = data;
    document.querySelector("ul").prepend(line);
  };
  document.querySelector("form").onsubmit = (event) => {
    event.preventDefault();
    socket.send(event.target.text.value);
    event.target.reset();
  };
</script>
</html>
)";

class Member {
public:
  explicit Member(std::string room) : room_("room/" + room) {}
  void open(tern::WebSocket& socket) { socket.subscribe(room_); }
  void message(tern::WebSocket& socket, std::string_view text) {
    socket.publish(room_, text);  // to all others, on all loops
    socket.send(text);
  }

private:
  std::string room_;
};

}  // namespace

void add_routes(tern::App& app) {
  app.get("/", [] { return tern::Response::html(std::string(page)); });
  app.websocket("/rooms/{room}", [](std::string room) { return Member(std::move(room)); });
}
