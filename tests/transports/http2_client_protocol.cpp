#include "http2/test_client.hpp"
#include "transports/client_protocol.hpp"

#include <gtest/gtest.h>

namespace tern::testing {
namespace {

class Http2ClientProtocol final : public ClientProtocol {
public:
  explicit Http2ClientProtocol(std::string scheme) { client_.set_scheme(std::move(scheme)); }

  void ask(const ClientRequest& request) override {
    if (request.websocket) {
      id_ = client_.connect("websocket", request.path, request.fields);
      return client_.send(id_, request.content);
    }
    id_ = client_.request(request.method, request.path, request.fields, std::string(request.content), request.end);
  }
  void send_content(std::string_view content, bool end) override { client_.send(id_, content, end); }
  void trailers(const FieldPairs& fields) override { client_.send_trailers(id_, fields); }
  bool cancel() override {
    client_.reset(id_);
    return true;
  }
  void take(std::string_view bytes, ClientResponse& response) override {
    EXPECT_TRUE(client_.input(bytes));
    if (id_ == 0) return;
    http2::ClientResponse& answered = client_.at(id_);
    response.interim = answered.interim;
    if (answered.status >= 200) response.status = answered.status;
    if (answered.status >= 100 && answered.status < 200) response.interim.push_back(answered.status);
    if (response.fields.empty() && response.status != 0) response.fields = answered.fields;
    response.trailers = answered.trailers;
    response.content += std::exchange(answered.content, {});
    response.complete = answered.ended;
    response.broken = answered.closed && !answered.ended;
  }
  void ended(ClientResponse& response) override { response.broken = !response.complete; }
  bool closed_gracefully() const override { return client_.goaway() == 0; }
  std::string output() override { return client_.output(); }

private:
  http2::TestClient client_;
  std::int32_t id_ = 0;
};

}  // namespace

std::unique_ptr<ClientProtocol> http2_client_protocol(std::string scheme) {
  return std::make_unique<Http2ClientProtocol>(std::move(scheme));
}

bool has_http2_client_protocol() {
  return true;
}

}  // namespace tern::testing
