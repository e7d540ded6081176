#include "websocket/feed.hpp"

#include "base/guarded_text.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tern::websocket::testing {
namespace {

constexpr std::size_t long_payload = 64;

std::string show(std::string_view payload) {
  return payload.size() > long_payload ? "(" + std::to_string(payload.size()) + ")" : std::string(payload);
}

class Feeder {
public:
  explicit Feeder(const FeedOptions& options) : options_(options), connection_(options_.limits, codec()) {
    connection_.set_inflation_budget(options_.inflation_budget);
  }

  void feed(std::string_view piece) {
    if (connection_.closed()) return;
    if (options_.direct_receive && pending_.empty()) piece = take(piece);
    if (connection_.closed() || piece.empty()) return;
    pending_ += piece;
    const std::string_view placed = guarded_.copy(pending_);
    connection_.receive({const_cast<char*>(placed.data()), placed.size()});
    while (step()) {
    }
    pending_.erase(0, connection_.consumed());
    outcome_.max_unread = std::max(outcome_.max_unread, pending_.size());
  }

  Outcome outcome() {
    outcome_.sent = read_frames(out_);
    return outcome_;
  }

private:
  std::unique_ptr<Codec> codec() {
    return options_.deflate ? std::make_unique<Codec>(*options_.deflate, shared_) : nullptr;
  }

  // Passes the remaining payload at the front of `piece` to read_into(); returns the rest.
  std::string_view take(std::string_view piece) {
    connection_.receive({});
    while (!piece.empty() && connection_.remaining_payload() != 0) {
      max_taken_ = max_taken_ % 7 + 1;
      connection_.reserve_payload(1, 0, [](std::size_t) { return std::string(); });
      const auto receive = [&piece](std::span<char> to) {
        const std::size_t count = piece.copy(to.data(), to.size());
        piece.remove_prefix(count);
        return count;
      };
      if (handle(connection_.read_into(out_, max_taken_, receive))) continue;
      if (connection_.closed()) return {};
    }
    while (step()) {
    }
    return piece;
  }

  bool step() { return handle(connection_.next(out_)); }

  bool handle(Event event) {
    switch (event) {
      case Event::NeedMore: return false;
      case Event::Message:
        outcome_.transcript += (connection_.is_text() ? "text " : "binary ") + show(connection_.message()) + '\n';
        return true;
      case Event::Deferred:
        ++outcome_.deferrals;
        connection_.set_inflation_budget(options_.inflation_budget);
        return true;
      case Event::Closed: break;
    }
    outcome_.transcript += "closed " + std::to_string(connection_.close_code());
    if (!connection_.close_reason().empty()) outcome_.transcript += ' ' + connection_.close_reason();
    outcome_.transcript += '\n';
    return false;
  }

  FeedOptions options_;
  SharedCodecs shared_;
  tern::testing::GuardedText guarded_;
  Connection connection_;
  std::string pending_;
  std::string out_;
  std::size_t max_taken_ = 0;
  Outcome outcome_;
};

}  // namespace

std::string frame(unsigned opcode, std::string_view payload, const FrameOptions& options) {
  std::string out;
  out.push_back(static_cast<char>((options.fin ? 0x80U : 0U) | options.rsv | opcode));
  const unsigned mask = options.masked ? 0x80 : 0;
  unsigned form = options.length_form;
  if (form == 0) form = payload.size() < 126 ? 0 : payload.size() < 65536 ? 126 : 127;
  out.push_back(static_cast<char>(mask | (form == 0 ? static_cast<unsigned>(payload.size()) : form)));
  const unsigned bytes = form == 0 ? 0 : form == 126 ? 2 : 8;
  for (unsigned i = 0; i < bytes; ++i) {
    out.push_back(static_cast<char>(std::uint64_t{payload.size()} >> (8 * (bytes - 1 - i)) & 0xFFU));
  }
  if (!options.masked) return out.append(payload);
  out.append(options.key.data(), options.key.size());
  for (std::size_t i = 0; i < payload.size(); ++i) out.push_back(static_cast<char>(payload[i] ^ options.key[i % 4]));
  return out;
}

std::string fragments(unsigned opcode, std::string_view payload, std::size_t size) {
  std::string out;
  do {
    const std::string_view piece = payload.substr(0, size);
    payload.remove_prefix(piece.size());
    out += frame(std::exchange(opcode, 0), piece, {.fin = payload.empty()});
  } while (!payload.empty());
  return out;
}

std::string close_payload(unsigned code, std::string_view reason) {
  std::string out = {static_cast<char>(code >> 8U), static_cast<char>(code & 0xFFU)};
  return out.append(reason);
}

std::string read_frames(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const auto byte = [&bytes](std::size_t at) { return static_cast<unsigned char>(bytes.at(at)); };
    const unsigned first = byte(0);
    std::size_t length = byte(1);  // without a mask
    std::size_t head = 2;
    if (length >= 126) {
      const std::size_t count = length == 126 ? 2 : 8;
      length = 0;
      for (std::size_t i = 0; i < count; ++i) length = length << 8U | byte(head++);
    }
    const std::string_view payload = bytes.substr(head, length);
    EXPECT_EQ(payload.size(), length);
    EXPECT_TRUE((first & 0x80U) != 0);
    switch (first & 0x7FU) {
      case 1: out += "text " + show(payload); break;
      case 2: out += "binary " + show(payload); break;
      case 0x41: out += "deflated text"; break;
      case 0x42: out += "deflated binary"; break;
      case 8:
        out += "close";
        if (!payload.empty()) {
          const unsigned code = unsigned{static_cast<unsigned char>(payload[0])} << 8U;
          out += ' ' + std::to_string(code | static_cast<unsigned char>(payload.at(1)));
          if (payload.size() > 2) out += ' ' + std::string(payload.substr(2));
        }
        break;
      case 9: out += "ping " + show(payload); break;
      case 10: out += "pong " + show(payload); break;
      default: ADD_FAILURE() << "opcode " << first;
    }
    out += '\n';
    bytes.remove_prefix(std::min(bytes.size(), head + length));
  }
  return out;
}

Outcome feed(std::string_view input, std::span<const std::size_t> cuts, const FeedOptions& options) {
  Feeder feeder(options);
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    feeder.feed(input.substr(from, cut - from));
    from = cut;
  }
  feeder.feed(input.substr(from));
  return feeder.outcome();
}

Outcome feed_every_way(std::string_view input, const FeedOptions& options) {
  const Outcome whole = feed(input, {}, options);
  FeedOptions way = options;
  for (const bool direct : {false, true}) {
    way.direct_receive = direct;
    for (std::size_t cut = 1; cut < input.size(); ++cut) {
      const Outcome split = feed(input, {{cut}}, way);
      EXPECT_EQ(split.transcript, whole.transcript) << "cut at " << cut << (direct ? ", read_into()" : "");
      EXPECT_EQ(split.sent, whole.sent) << "cut at " << cut << (direct ? ", read_into()" : "");
    }
  }
  std::vector<std::size_t> cuts(input.empty() ? 0 : input.size() - 1);
  std::iota(cuts.begin(), cuts.end(), std::size_t{1});
  const Outcome bytes = feed(input, cuts, options);
  EXPECT_EQ(bytes.transcript, whole.transcript) << "byte by byte";
  EXPECT_EQ(bytes.sent, whole.sent) << "byte by byte";
  EXPECT_LT(bytes.max_unread, 2 + 4 + max_control_payload);
  return whole;
}

}  // namespace tern::websocket::testing
