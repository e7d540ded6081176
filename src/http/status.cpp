#include <tern/http/status.hpp>

namespace tern {

std::string_view reason(Status status) noexcept {
  switch (status) {
    case Status::Continue: return "Continue";
    case Status::SwitchingProtocols: return "Switching Protocols";
    case Status::Processing: return "Processing";
    case Status::EarlyHints: return "Early Hints";
    case Status::Ok: return "OK";
    case Status::Created: return "Created";
    case Status::Accepted: return "Accepted";
    case Status::NonAuthoritativeInformation: return "Non-Authoritative Information";
    case Status::NoContent: return "No Content";
    case Status::ResetContent: return "Reset Content";
    case Status::PartialContent: return "Partial Content";
    case Status::MultiStatus: return "Multi-Status";
    case Status::AlreadyReported: return "Already Reported";
    case Status::MultipleChoices: return "Multiple Choices";
    case Status::MovedPermanently: return "Moved Permanently";
    case Status::Found: return "Found";
    case Status::SeeOther: return "See Other";
    case Status::NotModified: return "Not Modified";
    case Status::TemporaryRedirect: return "Temporary Redirect";
    case Status::PermanentRedirect: return "Permanent Redirect";
    case Status::BadRequest: return "Bad Request";
    case Status::Unauthorized: return "Unauthorized";
    case Status::PaymentRequired: return "Payment Required";
    case Status::Forbidden: return "Forbidden";
    case Status::NotFound: return "Not Found";
    case Status::MethodNotAllowed: return "Method Not Allowed";
    case Status::NotAcceptable: return "Not Acceptable";
    case Status::ProxyAuthenticationRequired: return "Proxy Authentication Required";
    case Status::RequestTimeout: return "Request Timeout";
    case Status::Conflict: return "Conflict";
    case Status::Gone: return "Gone";
    case Status::LengthRequired: return "Length Required";
    case Status::PreconditionFailed: return "Precondition Failed";
    case Status::ContentTooLarge: return "Content Too Large";
    case Status::UriTooLong: return "URI Too Long";
    case Status::UnsupportedMediaType: return "Unsupported Media Type";
    case Status::RangeNotSatisfiable: return "Range Not Satisfiable";
    case Status::ExpectationFailed: return "Expectation Failed";
    case Status::MisdirectedRequest: return "Misdirected Request";
    case Status::UnprocessableContent: return "Unprocessable Content";
    case Status::Locked: return "Locked";
    case Status::FailedDependency: return "Failed Dependency";
    case Status::TooEarly: return "Too Early";
    case Status::UpgradeRequired: return "Upgrade Required";
    case Status::PreconditionRequired: return "Precondition Required";
    case Status::TooManyRequests: return "Too Many Requests";
    case Status::RequestHeaderFieldsTooLarge: return "Request Header Fields Too Large";
    case Status::UnavailableForLegalReasons: return "Unavailable For Legal Reasons";
    case Status::InternalServerError: return "Internal Server Error";
    case Status::NotImplemented: return "Not Implemented";
    case Status::BadGateway: return "Bad Gateway";
    case Status::ServiceUnavailable: return "Service Unavailable";
    case Status::GatewayTimeout: return "Gateway Timeout";
    case Status::HttpVersionNotSupported: return "HTTP Version Not Supported";
    case Status::InsufficientStorage: return "Insufficient Storage";
    case Status::LoopDetected: return "Loop Detected";
    case Status::NetworkAuthenticationRequired: return "Network Authentication Required";
  }
  return {};
}

}  // namespace tern
