// Spans in the JSON of OTLP (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): ids are hexadecimal,
// 64-bit numbers are text.
#pragma once

#include <tern/observe/tracing.hpp>

#include <span>
#include <string>
#include <string_view>

namespace tern::observe {

// An ExportTraceServiceRequest.
std::string otlp_json(std::span<const FinishedSpan> spans, std::string_view service_name);

}  // namespace tern::observe
