#include <tern/testing.hpp>

#include "app/core.hpp"
#include "openapi/checker.hpp"
#include "openapi/document.hpp"
#include "tern/exchanged.hpp"
#include "tern/test_loop.hpp"
#include "tern/test_socket.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>
#include <tern/coro/cancelled.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/http/writer.hpp>

#include <algorithm>
#include <ranges>
#include <stdexcept>

namespace tern::testing {
namespace {

std::string request_text(const TestRequest& question) {
  const RouteMethod& method = question.method;
  std::string text(method.method == Method::Extension ? method.extension : method_name(method.method));
  text.append(" ").append(question.target).append(" HTTP/1.1\r\n");
  bool has_host = false;
  for (const auto& [name, value] : question.fields) {
    text.append(name).append(": ").append(value).append("\r\n");
    has_host = has_host || base::equals_ignoring_case(name, "host");
  }
  if (!has_host) text += "host: localhost\r\n";
  if (!question.body.empty()) {
    text += "content-length: ";
    base::append_integer(text, question.body.size());
    text += "\r\n";
  }
  return text + "\r\n" + question.body;
}

// Parses the serialiser's response: status line, fields, content.
TestResponse read_answer(std::string_view text) {
  TestResponse answer;
  const auto next_line = [&text] {
    const std::size_t end = text.find("\r\n");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    return line;
  };
  answer.status = base::parse_integer<int>(next_line().substr(9, 3)).value_or(0);
  for (std::string_view line = next_line(); !line.empty(); line = next_line()) {
    const std::size_t colon = line.find(':');
    answer.fields.emplace_back(line.substr(0, colon), base::trim(line.substr(colon + 1)));
  }
  answer.body = text;
  return answer;
}

// Runs a handler's task; rethrows its exception.
void run_to_end(TestLoop& loop, Task<> task) {
  if (!loop.finish(task)) {
    throw std::runtime_error("the handler waits for something that only a server has: start the app for this test");
  }
  task.result();
}

Task<> answer_into(Response& response, Reply reply) {
  response = co_await std::move(reply);
}

// Collects the content of a streamed response.
class TextWriter final : public Writer {
public:
  std::string text;
  void keep_alive(Milliseconds, std::string_view) override {}

private:
  void take(std::string_view bytes) override { text += encoded(bytes); }
  bool writable() const override { return true; }
  bool gone() const override { return false; }
};

// The response as serialised. Rethrows exceptions of a stream. The content of a stream has a length here, also one that
// does not know it.
TestResponse written(TestLoop& loop, http1::Connection& protocol, Response& response) {
  const auto producer = response.take_producer();
  const std::optional<std::uint64_t> length = producer ? producer->length() : std::nullopt;
  TextWriter writer;
  if (producer && !length) {
    run_to_end(loop, producer->run(writer));
    response.content(std::move(writer.text));
  }
  http1::ResponseHead head;
  head.status = response.status();
  head.fields = &response.fields();
  head.content_type = response.literal_type();
  head.close = response.closes();
  std::string out;
  if (!length) {
    protocol.answer(out, head, response.content());
    return read_answer(out);
  }
  head.content_length = length;
  if (protocol.respond(out, head)) {
    run_to_end(loop, producer->run(writer));
    protocol.write(out, writer.text);
  }
  protocol.finish(out);
  return read_answer(out);
}

// As in a server: at every multiple of the interval.
Task<> repeat(TestLoop& loop, const app::Hooks::Repeated& repeated) {
  const auto interval = static_cast<std::uint64_t>(repeated.interval.count());
  std::uint64_t due = loop.now();
  while (true) {
    due += ((loop.now() - due) / interval + 1) * interval;
    co_await sleep_for(Milliseconds(static_cast<std::int64_t>(due - loop.now())));
    try {
      co_await repeated.work->run();
    } catch (const Cancelled&) {
      throw;
    } catch (...) {
      loop.report("a run of every() failed", std::current_exception());
    }
  }
}

std::string multipart_content(const std::vector<Part>& parts, std::string_view boundary) {
  std::string content;
  for (const Part& part : parts) {
    content.append("--").append(boundary).append("\r\ncontent-disposition: form-data; name=\"").append(part.name);
    if (!part.file_name.empty()) content.append("\"; filename=\"").append(part.file_name);
    content += "\"\r\n";
    if (!part.content_type.empty()) content.append("content-type: ").append(part.content_type).append("\r\n");
    content.append("\r\n").append(part.content).append("\r\n");
  }
  return content.append("--").append(boundary).append("--\r\n");
}

Task<> run_after(TestLoop& loop, base::Box<coro::Work> work) {
  for (coro::Work* each = work.get(); each != nullptr; each = each->next.get()) {
    try {
      co_await each->run();
    } catch (const Cancelled&) {  // the client is being destroyed
    } catch (...) {
      loop.report("work after a response failed", std::current_exception());
    }
  }
}

}  // namespace

std::string_view TestResponse::field(std::string_view name) const noexcept {
  for (const auto& [one, value] : fields) {
    if (base::equals_ignoring_case(one, name)) return value;
  }
  return {};
}

bool TestResponse::has(std::string_view name) const noexcept {
  return std::ranges::any_of(fields,
                             [name](const auto& field) { return base::equals_ignoring_case(field.first, name); });
}

std::string_view TestResponse::cookie(std::string_view name) const noexcept {
  for (const auto& [field, value] : fields) {
    if (!base::equals_ignoring_case(field, "set-cookie")) continue;
    const std::string_view pair = std::string_view(value).substr(0, value.find(';'));
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) == name) return pair.substr(equals + 1);
  }
  return {};
}

void TestResponse::throw_not_json(const std::string& why) {
  throw std::runtime_error("the answer is not the JSON that the test expects: " + why);
}

Client::Client(App& app) : service_(&app.service()), core_(app.core_.get()), loop_(new TestLoop) {}

Client::~Client() {
  stop();
  if (sockets_) core_->set_local_topics({});
  sockets_.reset();
  loop_.reset();  // background tasks may use the states
  for (const app::SharedState& state : std::views::reverse(replaced_)) {
    const auto own = core_->replace_state(state);
    own->destroy(own->value);
  }
}

Client& Client::start() {
  const TestLoop::Use use(*loop_);
  if (std::exchange(started_, true)) return *this;
  for (const auto& hook : core_->hooks().start) run_to_end(*loop_, hook->run());
  for (const auto& repeated : core_->hooks().every) spawn(repeat(*loop_, repeated));
  return *this;
}

void Client::stop() {
  if (!std::exchange(started_, false)) return;
  const TestLoop::Use use(*loop_);
  for (const auto& hook : std::views::reverse(core_->hooks().stop)) {
    try {
      run_to_end(*loop_, hook->run());
    } catch (...) {
      loop_->report("an on_stop hook failed", std::current_exception());
    }
  }
}

void Client::run(Task<> task) {
  const TestLoop::Use use(*loop_);
  run_to_end(*loop_, std::move(task));
}

void Client::replace(app::SharedState state, std::string_view type) {
  const auto before = core_->replace_state(state);
  if (!before) {
    state.destroy(state.value);
    throw SetupError("override_state(): the app was given no state of type " + std::string(type));
  }
  replaced_.push_back(*before);
}

Client& Client::print_reports(bool print) {
  loop_->prints_reports = print;
  return *this;
}

Client& Client::keep_cookies() {
  keeps_cookies_ = true;
  return *this;
}

void Client::keep_cookies_of(const TestResponse& answer) {
  for (const auto& [field, value] : answer.fields) {
    if (!base::equals_ignoring_case(field, "set-cookie")) continue;
    const std::string pair = value.substr(0, value.find(';'));
    const std::string name = pair.substr(0, pair.find('='));
    std::erase_if(cookies_, [&name](const auto& kept) { return kept.first == name; });
    if (!value.contains("; Max-Age=0")) cookies_.emplace_back(name, pair);
  }
}

Client& Client::advance(Milliseconds time) {
  const TestLoop::Use use(*loop_);
  loop_->advance(time);
  return *this;
}

const std::vector<std::string>& Client::reports() const noexcept {
  return loop_->reports;
}

Client& Client::with(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
  return *this;
}

Client& Client::anonymous() {
  identify_ = {};
  return *this;
}

Client& Client::at_listener(std::string name) {
  listener_ = std::move(name);
  return *this;
}

TestResponse Client::post(std::string_view target, std::string body, std::string_view content_type) {
  return send({Method::Post, std::string(target), {{"content-type", std::string(content_type)}}, std::move(body)});
}

TestResponse Client::put(std::string_view target, std::string body, std::string_view content_type) {
  return send({Method::Put, std::string(target), {{"content-type", std::string(content_type)}}, std::move(body)});
}

TestResponse Client::patch(std::string_view target, std::string body, std::string_view content_type) {
  return send({Method::Patch, std::string(target), {{"content-type", std::string(content_type)}}, std::move(body)});
}

TestResponse Client::post_form(std::string_view target, const std::vector<Part>& parts) {
  constexpr std::string_view boundary = "tern-testing-boundary-7MA4YWxkTrZu0gW";
  return post(target, multipart_content(parts, boundary), "multipart/form-data; boundary=" + std::string(boundary));
}

TestResponse Client::send(const TestRequest& question) {
  const TestLoop::Use use(*loop_);
  const base::Box<Exchanged> exchanged = exchange(question);
  if (exchanged->upgrade) throw std::runtime_error("the handshake of a WebSocket is made by Client::websocket()");
  const TestResponse answer = finish(*exchanged);
  if (!checkers_.empty() && exchanged->exchange) compare(*exchanged->exchange, answer);
  return answer;
}

Client& Client::check_contract() {
  checkers_.clear();
  for (const app::RouteTable& table : core_->tables()) {
    const OpenApiOptions* stated = core_->openapi(table.listener, table.host);
    if (stated == nullptr) stated = core_->openapi();
    OpenApiOptions options = stated == nullptr ? OpenApiOptions() : *stated;
    options.listener = table.listener;
    options.host = table.host;
    checkers_.push_back(base::make_box<openapi::Checker>(openapi::make_document(options, *core_, *core_)));
  }
  return *this;
}

void Client::compare(MemoryExchange& exchange, const TestResponse& answer) {
  Request& request = exchange.request();
  const app::RouteTable& served = core_->table_of(exchange);
  const auto table =
      std::ranges::find_if(core_->tables(), [&served](const app::RouteTable& each) { return &each == &served; });
  const auto index = static_cast<std::size_t>(table - core_->tables().begin());
  const std::string why = checkers_[index]->violation(
      {request.method_name(), request.route(), answer.status, answer.field("content-type"), answer.body});
  if (!why.empty()) throw ContractError(why);
}

// While the loop is the thread's executor.
base::Box<Client::Exchanged> Client::exchange(const TestRequest& question) {
  TestRequest complete = question;
  complete.fields.insert(complete.fields.end(), fields_.begin(), fields_.end());
  std::string cookies;
  for (const auto& [name, pair] : cookies_) cookies.append(cookies.empty() ? "" : "; ").append(pair);
  if (!cookies.empty()) complete.fields.emplace_back("cookie", std::move(cookies));
  const auto is_origin = [](const auto& field) {
    return base::equals_ignoring_case(field.first, "origin") ||
           base::equals_ignoring_case(field.first, "sec-fetch-site");
  };
  if (keeps_cookies_ && std::ranges::none_of(complete.fields, is_origin)) {
    complete.fields.emplace_back("sec-fetch-site", "same-origin");
  }
  base::Box<Exchanged> exchanged = base::make_box<Exchanged>();
  std::string& text = exchanged->text;
  text = request_text(complete);
  text.reserve(text.size() + http1::padding);
  http1::Connection& protocol = exchanged->protocol;
  RequestHead head;
  // The core parses the head; content is passed to the exchange directly, so that its size does not matter.
  protocol.receive(text);
  const http1::Event event = protocol.next(head);
  if (event == http1::Event::Reject) {
    const Problem problem{protocol.rejected().status, std::string(protocol.rejected().detail), {}, {}};
    exchanged->response = service_->refuse(problem);
    return exchanged;
  }
  if (event != http1::Event::Request) throw std::runtime_error("the request of the test is not complete: " + text);
  protocol.take_content();
  std::vector<std::pair<std::string, std::string>> fields;
  for (const Field& field : head.fields) fields.emplace_back(field.name, field.value);
  exchanged->exchange =
      std::make_unique<MemoryExchange>(head.method, std::string(head.target), std::move(fields), question.body);
  MemoryExchange& exchange = *exchanged->exchange;
  exchange.set_extension_method(head.extension_method);
  exchange.set_remote(question.remote);
  exchange.set_from_trusted_proxy(question.from_trusted_proxy);
  exchange.set_listener(question.listener.empty() ? listener_ : question.listener);
  exchange.set_trailers(question.trailers);
  if (identify_) identify_(exchange.request());
  Task<> answering = answer_into(exchanged->response, service_->serve(exchange));
  answering.set_stop(exchange.stop().state());
  run_to_end(*loop_, std::move(answering));
  if (exchanged->response.status() == Status::SwitchingProtocols) agree(*exchanged);
  return exchanged;
}

TestResponse Client::finish(Exchanged& exchanged) {
  // While the exchange owns the content's views.
  const TestResponse answer = written(*loop_, exchanged.protocol, exchanged.response);
  settle(exchanged, answer);
  return answer;
}

void Client::settle(Exchanged& exchanged, const TestResponse& answer) {
  if (auto work = exchanged.response.take_after()) spawn(run_after(*loop_, std::move(work)));
  loop_->run_ready();
  if (exchanged.exchange == nullptr) return;
  for (const std::string& line : exchanged.exchange->reports()) loop_->report(line);
  if (keeps_cookies_) keep_cookies_of(answer);
}

}  // namespace tern::testing
