#include "redis/envelope.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tern::redis {
namespace {

constexpr Sender sender{'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', '\0', '\xFF'};

TEST(Envelope, keeps_what_was_put_in) {
  const std::string bytes("\0\xFF\r\n", 4);
  for (const Publication& publication :
       {Publication{"room/7", "hello"}, Publication{"", ""}, Publication{bytes, bytes, false}, Publication{"a", ""}}) {
    const std::string sealed = encode_envelope(sender, publication);
    const auto envelope = decode_envelope(sealed);
    ASSERT_TRUE(envelope);
    EXPECT_EQ(envelope->sender, std::string_view(sender.data(), sender.size()));
    EXPECT_EQ(envelope->publication.topic, publication.topic);
    EXPECT_EQ(envelope->publication.content, publication.content);
    EXPECT_EQ(envelope->publication.is_text, publication.is_text);
  }
}

TEST(Envelope, keeps_long_topics) {
  const std::string topic(70'000, 't');
  const std::string sealed = encode_envelope(sender, {topic, "content"});
  const auto envelope = decode_envelope(sealed);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->publication.topic, topic);
  EXPECT_EQ(envelope->publication.content, "content");
}

TEST(Envelope, is_on_the_wire_as_it_says) {
  const std::string sealed = encode_envelope(sender, {"to", "me", false});
  EXPECT_EQ(sealed, "\1\1" + std::string(sender.data(), sender.size()) + std::string("\0\0\0\2", 4) + "tome");
  EXPECT_EQ(to_hex(sender), "303132333435363738396162636400ff");
}

TEST(Envelope, what_is_none_is_refused) {
  const std::string sealed = encode_envelope(sender, {"topic", ""});
  for (std::size_t size = 0; size < sealed.size(); ++size) {
    EXPECT_FALSE(decode_envelope(std::string_view(sealed).substr(0, size))) << size;
  }
  std::string other = sealed;
  other[0] = 2;
  EXPECT_FALSE(decode_envelope(other));
  other = sealed;
  other[1] = 2;
  EXPECT_FALSE(decode_envelope(other));
  other = sealed;
  other[18] = '\xFF';
  EXPECT_FALSE(decode_envelope(other));
  EXPECT_FALSE(decode_envelope("ping"));
}

TEST(Envelope, senders_differ) {
  EXPECT_NE(random_sender(), random_sender());
}

}  // namespace
}  // namespace tern::redis
