// A chat: rooms, names, the present members, and the last messages for newcomers.
//
//   open http://127.0.0.1:8080/ in two windows
//
// Each member is an object for its WebSocket. A room is a topic: its messages are published, and reach all members on
// all loops.
//
// Lines from several loops or servers may overtake each other. Each has a number, by which the page orders them.
//
// With --redis HOST:PORT, several servers form one chat: messages reach the members of all servers. Each server has its
// own list of members and last messages.
#include <tern/redis.hpp>
#include <tern/tern.hpp>

#include "chat_page.hpp"
#include "flags.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <random>

namespace {

enum class Kind { Message, Joined, Left };

struct Line {
  Kind kind;
  std::string name;
  std::string text;
  std::vector<std::string> members;  // of this server; unset for a message
  std::uint64_t server;              // the server that numbers the line
  std::uint64_t number;
};

struct Said {
  std::string text;
};

// Shared by all loops, and therefore synchronised.
class Rooms {
public:
  static constexpr std::size_t kept = 50;

  // The message to the others, with the members; and the lines for a newcomer.
  Line join(const std::string& room, const std::string& name, std::vector<Line>& history) const {
    const std::lock_guard lock(mutex_);
    Room& entered = rooms_[room];
    history.assign(entered.lines.begin(), entered.lines.end());
    entered.members.push_back(name);
    return numbered({Kind::Joined, name, {}, entered.members, server_, 0});
  }

  Line leave(const std::string& room, const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = rooms_.find(room);
    auto& members = found->second.members;
    members.erase(std::find(members.begin(), members.end(), name));
    const Line line = numbered({Kind::Left, name, {}, members, server_, 0});
    if (members.empty()) rooms_.erase(found);
    return line;
  }

  Line say(const std::string& room, const std::string& name, std::string text) const {
    const std::lock_guard lock(mutex_);
    auto& lines = rooms_[room].lines;
    lines.push_back(numbered({Kind::Message, name, std::move(text), {}, server_, 0}));
    if (lines.size() > kept) lines.pop_front();
    return lines.back();
  }

private:
  struct Room {
    std::deque<Line> lines;
    std::vector<std::string> members;
  };
  Line numbered(Line line) const {
    line.number = ++last_;
    return line;
  }

  const std::uint32_t server_ = std::random_device()();
  mutable std::uint64_t last_ = 0;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Room> rooms_;
};

std::string topic_of(const std::string& room) {
  return "room/" + room;
}

class Member {
public:
  Member(tern::App& app, const Rooms& rooms, std::string room, std::string name)
      : app_(app), rooms_(rooms), room_(std::move(room)), name_(std::move(name)) {}

  void open(tern::WebSocket& socket) {
    socket.subscribe(topic());  // before reading the list, so that no line is missed
    std::vector<Line> history;
    const Line joined = rooms_.join(room_, name_, history);
    for (Line& line : history) socket.send(tern::Json<Line>{{std::move(line)}});
    app_.publish(topic(), tern::Json<Line>{{joined}});
  }

  void message(tern::WebSocket&, tern::Json<Said> said) {
    if (said->text.empty() || said->text.size() > 2000) return;
    app_.publish(topic(), tern::Json<Line>{{rooms_.say(room_, name_, std::move(said->text))}});
  }

  void close(tern::WebSocket&, std::uint16_t, std::string_view) {
    app_.publish(topic(), tern::Json<Line>{{rooms_.leave(room_, name_)}});
  }

private:
  std::string topic() const { return topic_of(room_); }

  tern::App& app_;
  const Rooms& rooms_;
  std::string room_;
  std::string name_;
};

struct Visitor {
  std::string name;
};

// "host:port", or "host" for Redis's usual port.
tern::RedisOptions redis_at(std::string_view place) {
  tern::RedisOptions redis{.prefix = "chat"};
  const std::size_t colon = place.rfind(':');
  redis.host = place.substr(0, colon);
  // An invalid number leaves no port, and the start reports it.
  if (colon != place.npos) redis.port = tern::base::parse_integer<std::uint16_t>(place.substr(colon + 1)).value_or(0);
  return redis;
}

}  // namespace

int main(int argc, char** argv) {
  std::string redis;
  const tern::Options options = examples::options(argc, argv, {{"--redis", redis}});
  tern::App app;
  if (!redis.empty()) app.bus(tern::RedisBus(redis_at(redis)));
  app.emplace_state<Rooms>();
  app.get("/", [] { return tern::Response::static_content(tern::media::html, chat_page); });
  app.websocket("/rooms/{room}",
                [&app](std::string room, tern::Query<Visitor> visitor, tern::State<Rooms> rooms) {
                  // Checked before the upgrade. Topics for publications have no '+' and '#'.
                  if (!tern::is_topic(topic_of(room))) {
                    throw tern::HttpError(tern::Status::UnprocessableContent, "a room's name has no + and no #");
                  }
                  if (visitor->name.empty() || visitor->name.size() > 60) {
                    throw tern::HttpError(tern::Status::UnprocessableContent, "a name has 1 to 60 bytes");
                  }
                  return Member(app, *rooms, std::move(room), visitor->name);
                },
                {.max_message = 8 * 1024, .max_queued = 256 * 1024, .when_full = tern::WhenFull::Close});
  return app.run(options);
}
