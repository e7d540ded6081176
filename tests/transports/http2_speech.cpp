#include "http2/test_client.hpp"
#include "transports/speech.hpp"

#include <gtest/gtest.h>

namespace tern::testing {
namespace {

class Http2Speech final : public Speech {
public:
  explicit Http2Speech(std::string scheme) { client_.speak_of(std::move(scheme)); }

  void ask(const Question& question) override {
    if (question.websocket) {
      id_ = client_.connect("websocket", question.path, question.fields);
      return client_.send(id_, question.content);
    }
    id_ = client_.request(question.method, question.path, question.fields, std::string(question.content), question.end);
  }
  void further(std::string_view content, bool end) override { client_.send(id_, content, end); }
  void trailers(const FieldPairs& fields) override { client_.send_trailers(id_, fields); }
  bool cancel() override {
    client_.reset(id_);
    return true;
  }
  void take(std::string_view bytes, Reaction& reaction) override {
    EXPECT_TRUE(client_.input(bytes));
    if (id_ == 0) return;
    http2::Answered& answered = client_.at(id_);
    reaction.interim = answered.interim;
    if (answered.status >= 200) reaction.status = answered.status;
    if (answered.status >= 100 && answered.status < 200) reaction.interim.push_back(answered.status);
    if (reaction.fields.empty() && reaction.status != 0) reaction.fields = answered.fields;
    reaction.trailers = answered.trailers;
    reaction.content += std::exchange(answered.content, {});
    reaction.complete = answered.ended;
    reaction.broken = answered.closed && !answered.ended;
  }
  void ended(Reaction& reaction) override { reaction.broken = !reaction.complete; }
  bool told_the_end() const override { return client_.goaway() == 0; }
  std::string output() override { return client_.output(); }

private:
  http2::TestClient client_;
  std::int32_t id_ = 0;
};

}  // namespace

std::unique_ptr<Speech> http2_speech(std::string scheme) {
  return std::make_unique<Http2Speech>(std::move(scheme));
}

bool has_http2_speech() {
  return true;
}

}  // namespace tern::testing
