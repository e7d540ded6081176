#include <tern/web/templates.hpp>

#include "web/template_renderer.hpp"
#include "web/template_store.hpp"

#include <tern/app/extract.hpp>
#include <tern/http/writer.hpp>

#include <stdexcept>

namespace tern {

namespace web {
namespace {

// A page of more bytes is streamed, in pieces of this size.
constexpr std::size_t piece_size = 64 * 1024;

const Templates& templates_of(const Request& request) {
  const void* state = app::find_state(request, &http::type_key<Templates>);
  if (state == nullptr) throw std::logic_error("a page was rendered, but app.templates(…) was not called");
  return *static_cast<const Templates*>(state);
}

// A page from its first piece on.
class PageProducer final : public http::Producer {
public:
  PageProducer(SharedTemplateSet set, base::Box<PageValue> value, TemplateRenderer renderer, std::string first)
      : set_(std::move(set)), value_(std::move(value)), renderer_(std::move(renderer)), piece_(std::move(first)) {}

  Task<> run(Writer& writer) override {
    bool is_done = false;
    while (true) {
      co_await writer.write(piece_);
      if (is_done) co_return;
      piece_.clear();
      is_done = renderer_.run(piece_, piece_size);
    }
  }

private:
  SharedTemplateSet set_;
  base::Box<PageValue> value_;
  TemplateRenderer renderer_;
  std::string piece_;
};

}  // namespace

std::string render_page(const Request& request, std::string_view name, TemplateValue value) {
  return templates_of(request).render_value(name, value);
}

Response respond_with_page(const Request& request, std::string_view name, base::Box<PageValue> value) {
  SharedTemplateSet set = templates_of(request).store_->current();
  const TemplateProgram& program = set->find(name);
  TemplateRenderer renderer(program, value->view());
  std::string page;
  page.reserve(program.largest.load(std::memory_order_relaxed));
  const bool is_whole = renderer.run(page, piece_size);
  if (page.size() > program.largest.load(std::memory_order_relaxed)) {
    program.largest.store(page.size(), std::memory_order_relaxed);
  }
  if (is_whole) return Response::html(std::move(page));
  return Response::produced(media::html, base::Box<http::Producer>(new PageProducer(
                                             std::move(set), std::move(value), std::move(renderer), std::move(page))));
}

}  // namespace web

TemplateError::TemplateError(std::string_view file, std::uint32_t line, std::string_view what)
    : what_(std::string(file) + ":" + std::to_string(line) + ": " + std::string(what)) {}

Templates::Templates(std::string_view folder, const TemplateOptions& options)
    : store_(new web::TemplateStore(folder, options)) {}
Templates::Templates(const EmbeddedFolder& folder, const TemplateOptions& options)
    : store_(new web::TemplateStore(folder, options)) {}
Templates::Templates(Templates&&) noexcept = default;
Templates& Templates::operator=(Templates&&) noexcept = default;
Templates::~Templates() = default;

std::string Templates::render_value(std::string_view name, web::TemplateValue value) const {
  const web::SharedTemplateSet set = store_->current();
  web::TemplateRenderer renderer(set->find(name), value);
  std::string page;
  while (!renderer.run(page, page.max_size())) {
  }
  return page;
}

App& App::templates(std::string_view folder, std::source_location place) {
  return templates(folder, TemplateOptions{}, place);
}

App& App::templates(const EmbeddedFolder& folder, std::source_location place) {
  return templates(folder, TemplateOptions{}, place);
}

App& App::templates(std::string_view folder, const TemplateOptions& options, std::source_location place) {
  try {
    return state(Templates(folder, options), place);
  } catch (const TemplateError& error) {
    add_mistake(error.what(), place);
  } catch (const std::exception& error) {
    add_mistake("the templates in '" + std::string(folder) + "' cannot be used: " + error.what(), place);
  }
  return *this;
}

App& App::templates(const EmbeddedFolder& folder, const TemplateOptions& options, std::source_location place) {
  try {
    return state(Templates(folder, options), place);
  } catch (const std::exception& error) {
    add_mistake(error.what(), place);
  }
  return *this;
}

}  // namespace tern
