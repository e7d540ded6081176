#include "web/webhook_verifier.hpp"

#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tern::web {
namespace {

using testing::Client;
using testing::TestRequest;
using testing::TestResponse;
using FieldList = std::vector<std::pair<std::string, std::string>>;
using ::testing::HasSubstr;

struct Event {
  std::string id;
};

constexpr std::int64_t sent_at = 1'614'265'330;
const std::string standard_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const std::string event = R"({"id":"evt_1"})";

std::string fault_of(const WebhookOptions& options, const FieldList& fields, std::string_view content) {
  RequestFields sent;
  for (const auto& [name, value] : fields) sent.add(name, value);
  return std::string(WebhookVerifier(options).fault_of(sent, content));
}

// --- Examples of the formats' documentation ---

TEST(WebhookFormats, standard) {
  WebhookOptions options{.secrets = {standard_secret}, .now = [] { return sent_at; }};
  const std::string content = R"({"test": 2432232314})";
  const FieldList fields = {{"webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"},
                            {"webhook-timestamp", "1614265330"},
                            {"webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}};
  EXPECT_EQ(fault_of(options, fields, content), "");
  EXPECT_EQ(fault_of(options, fields, content + ' '), "the signature is wrong");
  EXPECT_EQ(sign_webhook(options, content, "msg_p5jXN8AQM9LWM0D4loKWxJek"), fields);
}

TEST(WebhookFormats, github) {
  WebhookOptions options{.format = WebhookFormat::GitHub,
                         .secrets = {"It's a Secret to Every"
                                     "body"}};
  const std::string signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  EXPECT_EQ(fault_of(options, {{"X-Hub-Signature-256", signature}}, "Hello, World!"), "");
  EXPECT_EQ(fault_of(options, {{"X-Hub-Signature-256", signature}}, "Hello, World?"), "the signature is wrong");
  EXPECT_EQ(fault_of(options, {{"X-Hub-Signature", signature}}, "Hello, World!"), "there is no signature");
}

TEST(WebhookFormats, stripe) {
  WebhookOptions options{.format = WebhookFormat::Stripe, .secrets = {"whsec_test_secret"}, .now = [] {
                           return std::int64_t{1'492'774'577};
                         }};
  const std::string right = "799c4ba7bb339f3c8601adfd112f0e477c930a268be1243d341abb8286501c2f";
  EXPECT_EQ(fault_of(options, {{"Stripe-Signature", "t=1492774577,v1=" + right + ",v0=" + right}}, event), "");
  EXPECT_EQ(fault_of(options, {{"Stripe-Signature", "t=1492774577, v1=00, v1=" + right}}, event), "");
  EXPECT_EQ(fault_of(options, {{"Stripe-Signature", "t=1492774577,v0=" + right}}, event), "there is no signature");
  EXPECT_EQ(fault_of(options, {{"Stripe-Signature", "t=1492774578,v1=" + right}}, event), "the signature is wrong");
  EXPECT_EQ(fault_of(options, {{"Stripe-Signature", "t=1,t=1492774577,v1=" + right}}, event), "there are two times");
  EXPECT_EQ(fault_of(options, {{"Stripe-Signature", "v1=" + right}}, event), "the time is not a number of seconds");
}

// --- Attacks ---

class WebhookAttacks : public ::testing::Test {
protected:
  std::string fault(const FieldList& fields) const { return fault_of(options, fields, event); }
  FieldList with(std::size_t index, const std::string& value) const {
    FieldList fields = sign_webhook(options, event);
    fields[index].second = value;
    return fields;
  }

  WebhookOptions options{.secrets = {standard_secret}, .now = [] { return sent_at; }};
};

TEST_F(WebhookAttacks, an_old_delivery_is_not_accepted_again) {
  const FieldList fields = sign_webhook(options, event);
  options.now = [] { return sent_at + 300; };
  EXPECT_EQ(fault(fields), "");
  options.now = [] { return sent_at + 301; };
  EXPECT_EQ(fault(fields), "the time is too old");
  options.now = [] { return sent_at - 300; };
  EXPECT_EQ(fault(fields), "");
  options.now = [] { return sent_at - 301; };
  EXPECT_EQ(fault(fields), "the time is in the future");
}

TEST_F(WebhookAttacks, time_and_id_are_signed) {
  EXPECT_EQ(fault(with(0, "msg_2")), "the signature is wrong");
  EXPECT_EQ(fault(with(1, std::to_string(sent_at + 1))), "the signature is wrong");
  EXPECT_EQ(fault(with(0, "")), "there is no signature");
}

TEST_F(WebhookAttacks, times_that_are_no_numbers_are_refused) {
  for (const char* time : {"", "-1", "+1614265330", "1614265330.0", " 1614265330", "0x60378c32", "99999999999999999999",
                           "18446744073709551616", "1614265330,1614265330"}) {
    EXPECT_EQ(fault(with(1, time)), "the time is not a number of seconds") << time;
  }
}

TEST_F(WebhookAttacks, a_signature_is_compared_as_a_whole) {
  const std::string right = sign_webhook(options, event)[2].second;
  for (const std::string& text :
       {std::string("v1,"), right.substr(0, right.size() - 1), right + "A", "v1a" + right.substr(2), right.substr(3),
        std::string("v1,\0", 4), std::string("v2,") + right.substr(3)}) {
    EXPECT_NE(fault(with(2, text)), "") << text;
  }
  EXPECT_EQ(fault(with(2, "v2,abc v1,AAAA " + right)), "");
}

TEST_F(WebhookAttacks, a_field_that_is_there_twice_is_refused) {
  for (const std::size_t index : {0U, 1U, 2U}) {
    FieldList fields = sign_webhook(options, event);
    fields.push_back(fields[index]);
    EXPECT_EQ(fault(fields), "there is no signature");
  }
}

TEST_F(WebhookAttacks, another_secret_or_format_does_not_verify) {
  const FieldList fields = sign_webhook(options, event);
  options.secrets = {"whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"};
  EXPECT_EQ(fault(fields), "the signature is wrong");
  options.format = WebhookFormat::GitHub;
  EXPECT_EQ(fault(fields), "there is no signature");
}

TEST_F(WebhookAttacks, a_secret_is_replaced_without_a_gap) {
  const FieldList old_fields = sign_webhook(options, event);
  options.secrets = {"whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", standard_secret};
  const FieldList new_fields = sign_webhook(options, event);
  EXPECT_NE(old_fields, new_fields);
  EXPECT_EQ(fault(old_fields), "");
  EXPECT_EQ(fault(new_fields), "");
}

TEST(WebhookSetup, refuses_options_that_cannot_hold) {
  EXPECT_THROW(WebhookSignature({}), SetupError);
  EXPECT_THROW(WebhookSignature({.secrets = {standard_secret, ""}}), SetupError);
  EXPECT_THROW(WebhookSignature({.secrets = {"whsec_"}}), SetupError);
  EXPECT_THROW(WebhookSignature({.secrets = {"not base64!"}}), SetupError);
  EXPECT_THROW(WebhookSignature({.secrets = {standard_secret}, .tolerance = Seconds(0)}), SetupError);
}

// --- The middleware ---

class WebhookTest : public ::testing::Test {
protected:
  WebhookTest() {
    app.post("/json", [](Json<Event> sent) { return sent->id; }).use(WebhookSignature(options));
    app.post("/bytes", [](Body body) { return std::string(body.bytes); }).use(WebhookSignature(options));
    app.post("/request", [](Request& request) { return std::string(request.body()); }).use(WebhookSignature(options));
    app.post("/stream",
             [](BodyStream body) -> Task<std::string> {
               std::string all;
               while (const auto piece = co_await body.next()) all.append("[").append(*piece).append("]");
               co_return all;
             })
        .use(WebhookSignature(options));
    client.emplace(app).print_reports(false);
  }
  TestResponse post(const std::string& target, const std::string& content, FieldList fields) {
    fields.emplace_back("content-type", "application/json");
    return client->send({.method = Method::Post, .target = target, .fields = std::move(fields), .body = content});
  }

  WebhookOptions options{.secrets = {standard_secret}, .max_content_bytes = 400'000, .now = [] { return sent_at; }};
  App app;
  std::optional<Client> client;
};

TEST_F(WebhookTest, handlers_of_every_kind_get_what_was_signed) {
  const FieldList fields = sign_webhook(options, event);
  EXPECT_EQ(post("/json", event, fields).body, "evt_1");
  EXPECT_EQ(post("/bytes", event, fields).body, event);
  EXPECT_EQ(post("/request", event, fields).body, event);
  EXPECT_EQ(post("/stream", event, fields).body, '[' + event + ']');
}

TEST_F(WebhookTest, a_refusal_tells_the_reason_to_the_log_only) {
  const TestResponse refused = post("/json", event + ' ', sign_webhook(options, event));
  EXPECT_EQ(refused.status, 401);
  EXPECT_THAT(refused.body, HasSubstr("not valid"));
  EXPECT_THAT(client->reports().back(), HasSubstr("why=\"the signature is wrong\""));
  const TestResponse unsigned_one = post("/json", event, {});
  EXPECT_EQ(unsigned_one.body, refused.body);
}

TEST_F(WebhookTest, empty_and_large_contents_are_signed_too) {
  EXPECT_EQ(post("/stream", "", sign_webhook(options, "")).body, "");
  const std::string large(300'000, 'x');
  EXPECT_EQ(post("/bytes", large, sign_webhook(options, large)).body, large);
  EXPECT_EQ(post("/bytes", large, sign_webhook(options, event)).status, 401);
}

TEST_F(WebhookTest, content_beyond_the_limit_is_refused_before_it_is_hashed) {
  const std::string too_large(400'001, 'x');
  for (const char* target : {"/bytes", "/stream"}) {
    EXPECT_EQ(post(target, too_large, sign_webhook(options, too_large)).status, 413) << target;
  }
}

}  // namespace
}  // namespace tern::web
