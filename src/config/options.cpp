// Options and the structs in it as parts of a configuration.
#include <tern/app/options.hpp>
#include <tern/config/type.hpp>

#include <algorithm>
#include <initializer_list>

namespace tern::configuration {
namespace {

struct Text {
  std::string_view member;
  std::string_view description;
};

// All members may be missing: each has the default of a careful operator, be it an empty text.
template <class T>
Type described(std::initializer_list<Text> texts) {
  Type type;
  type.kind = Kind::Struct;
  detail::describe_struct<T>(type);
  for (Member& member : type.members) {
    member.may_be_missing = true;
    const auto text = std::ranges::find(texts, member.name, &Text::member);
    if (text != texts.end()) member.description = text->description;
  }
  return type;
}

}  // namespace

template <>
const Type& type_of<Options>() {
  static const Type type = described<Options>({
      {"host", "Address to listen on: IPv4, IPv6 or localhost; 0.0.0.0 or :: for all"},
      {"port", "Port to listen on; 0: a free one"},
      {"unix_path", "Path of a Unix socket, instead of host and port"},
      {"proxy_protocol", "Connections begin with a header of the PROXY protocol"},
      {"share_port", "Other processes of the same user may serve the port, too"},
      {"handover", "SIGUSR2 starts a successor, which takes over the listening sockets"},
      {"listeners", "More addresses"},
      {"threads", "Loops; 0: one for each processor"},
      {"busy_poll_microseconds", "Time for which a loop polls before it sleeps; 0: off"},
      {"server_field", "Value of the field Server; empty: none"},
  });
  return type;
}

template <>
const Type& type_of<Listener>() {
  static const Type type = described<Listener>({
      {"name", "Name, for routes of this listener"},
      {"host", "Address to listen on"},
      {"port", "Port to listen on; 0: a free one"},
      {"unix_path", "Path of a Unix socket, instead of host and port"},
  });
  return type;
}

template <>
const Type& type_of<TlsOptions>() {
  static const Type type = described<TlsOptions>({
      {"certificate", "Certificate and those that lead to its root (PEM file); empty: no TLS"},
      {"key", "Private key (PEM file); empty: in the same file"},
      {"ocsp", "Response of the issuer's OCSP responder (DER file), for stapling"},
      {"certificates", "More certificates, each for its names"},
      {"client_ca", "Authorities of client certificates (PEM file)"},
      {"client", "Whether clients have to present a certificate"},
  });
  return type;
}

template <>
const Type& type_of<TlsCertificate>() {
  static const Type type = described<TlsCertificate>({
      {"certificate", "Certificate and those that lead to its root (PEM file)"},
      {"key", "Private key (PEM file); empty: in the same file"},
      {"ocsp", "Response of the issuer's OCSP responder (DER file)"},
  });
  return type;
}

template <>
const Type& type_of<ProxyOptions>() {
  static const Type type = described<ProxyOptions>({
      {"trusted", "Address or network of a proxy whose reports about clients count, or unix"},
      {"forwarded", "The fields by which proxies name their clients"},
  });
  return type;
}

template <>
const Type& type_of<ServerLimits>() {
  static const Type type = described<ServerLimits>({
      {"max_request_line_bytes", "Request line; longer ones get 414"},
      {"max_fields_bytes", "All fields of a request; more get 431"},
      {"max_field_count", "Number of fields of a request; more get 431"},
      {"max_buffered_bytes", "All contents in memory together; 0: a quarter of the memory"},
      {"max_connections", "Connections; 0: what the descriptor limit allows"},
  });
  return type;
}

template <>
const Type& type_of<Limits>() {
  static const Type type = described<Limits>({
      {"max_body_bytes", "Content of a request; more gets 413"},
      {"handler_timeout", "Time of an asynchronous handler; 0: no limit"},
      {"half_close", "HTTP/1.1 clients that end their sending side still get their response"},
  });
  return type;
}

template <>
const Type& type_of<Timeouts>() {
  static const Type type = described<Timeouts>({
      {"head", "From the first byte of a request to the end of its head"},
      {"idle", "Between requests of a connection"},
      {"drain", "For requests in flight when the server stops"},
      {"drain_delay", "Between the signal to stop and the drain"},
      {"drain_idle", "For requests in transit to idle connections when the server stops"},
      {"min_bytes_per_second", "Minimum rate of contents and of responses being read"},
      {"min_rate_grace", "Time before the minimum rate applies"},
      {"stall", "Event streams whose client reads nothing for so long are closed"},
  });
  return type;
}

template <>
const Type& type_of<Http2Options>() {
  static const Type type = described<Http2Options>({
      {"enabled", "Speak HTTP/2"},
      {"clear_text", "HTTP/2 without TLS, for clients that know beforehand"},
      {"only", "Without TLS, HTTP/2 only"},
      {"max_concurrent_streams", "Concurrent requests of a connection"},
      {"stream_window_bytes", "Content of a request that its handler has not read yet"},
      {"connection_window_bytes", "The same of all requests of a connection"},
  });
  return type;
}

template <>
const Type& type_of<PoolOptions>() {
  static const Type type = described<PoolOptions>({
      {"threads", "Threads of the pool; 0: one for each processor"},
      {"max_queued_jobs", "Jobs of each priority that wait; more get 503"},
      {"sheds_load", "503 for jobs that would wait long"},
      {"nice", "Added to the nice value of its threads, 0 to 19"},
  });
  return type;
}

template <>
const Type& type_of<LogOptions>() {
  static const Type type = described<LogOptions>({
      {"access", "Format of the access log"},
      {"access_file", "File of the access log; empty: standard output"},
      {"level", "The least severe lines of the error log"},
      {"error_file", "File of the error log; empty: standard error"},
      {"format", "Lines of the error log: text, json or logfmt"},
      {"target", "Where the error log goes: a file, the journal or syslog"},
      {"levels", "Levels of parts of the program"},
      {"secrets", "More names of fields whose values are not logged"},
      {"max_repeats", "Equal lines of the error log within repeat_time; more are counted"},
      {"repeat_time", "See max_repeats"},
      {"slow", "Requests that take longer are logged, with where their time went; 0: off"},
      {"stall", "Loops that are stalled for so long are logged, with their stack; 0: off"},
      {"access_one_in", "One of so many requests has a line in the access log, failed and slow ones always"},
  });
  return type;
}

}  // namespace tern::configuration
