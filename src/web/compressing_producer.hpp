// The producer of a streamed response whose content is compressed.
#pragma once

#include "web/encoder.hpp"

#include <tern/http/response.hpp>
#include <tern/http/writer.hpp>

#include <string>
#include <string_view>

namespace tern::web {

class CompressingProducer final : public http::Producer, private http::ContentEncoder {
public:
  explicit CompressingProducer(base::Box<Encoder> encoder) noexcept : encoder_(std::move(encoder)) {}

  void wrap(base::Box<http::Producer> producer) noexcept { producer_ = std::move(producer); }
  Task<> run(Writer& writer) override;

private:
  std::string_view encode(std::string_view bytes) override;
  std::string_view flush() override;
  void finish(Writer& writer);

  base::Box<Encoder> encoder_;
  base::Box<http::Producer> producer_;
  std::string coded_;
  bool unflushed_ = false;
};

}  // namespace tern::web
