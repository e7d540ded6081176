// Receiving a form for Multipart<T>: fields into the exchange's arena, files into temporary files.
#include <tern/app/multipart.hpp>

#include <algorithm>
#include <utility>

namespace tern::app {
namespace {

class FormReceiver {
public:
  FormReceiver(Exchange& exchange, std::span<const FormName> names, const FormLimits& limits)
      : exchange_(exchange), names_(names), limits_(limits) {}

  Task<> receive(MultipartStream stream) {
    stream.limits(limits_.parts);
    while (const MultipartPart* const part = co_await stream.next_part()) {
      const auto found = std::ranges::find(names_, part->name, &FormName::name);
      if (found == names_.end()) continue;
      const auto index = static_cast<std::size_t>(found - names_.begin());
      if (part->is_file != found->is_file) {
        form_.of_wrong_kind |= std::uint64_t{1} << index;
      } else if (part->is_file) {
        co_await receive_file(stream, *part, index);
      } else {
        co_await receive_field(stream, found->name);
      }
    }
  }

  ReceivedForm take() { return std::move(form_); }

private:
  Task<> receive_field(MultipartStream& stream, std::string_view name) {
    const std::size_t room = limits_.text_bytes - text_bytes_;
    const std::string text = co_await stream.text(room - std::min(room, name.size()));
    text_bytes_ += std::min(room, name.size() + text.size());
    if (!exchange_.charge(name.size() + text.size())) throw HttpError(to_problem(StreamError::Overloaded));
    form_.fields.push_back({name, exchange_.arena().copy(text)});
  }

  Task<> receive_file(MultipartStream& stream, const MultipartPart& part, std::size_t index) {
    const bool has_one = std::ranges::find(form_.files, index, &ReceivedForm::File::member) != form_.files.end();
    if (has_one && !names_[index].may_repeat) {
      if (part.file_name || co_await stream.next()) form_.repeated |= std::uint64_t{1} << index;
      co_return;
    }
    UploadedFile file = co_await stream.file(limits_.file_bytes);
    if (!file) co_return;
    if (form_.files.size() == limits_.files) throw HttpError(Status::ContentTooLarge, "the form has too many files");
    form_.files.push_back({index, std::move(file)});
  }

  Exchange& exchange_;
  std::span<const FormName> names_;
  const FormLimits& limits_;
  ReceivedForm form_;
  std::size_t text_bytes_ = 0;
};

}  // namespace

Task<std::expected<ReceivedForm, Rejection>> receive_form(Request& request, std::span<const FormName> names,
                                                          const FormLimits& limits) {
  auto stream = Extract<MultipartStream>::from(request);
  if (!stream) co_return std::unexpected(std::move(stream.error()));
  FormReceiver receiver(request.exchange(), names, limits);
  std::optional<Rejection> refused;
  try {
    co_await receiver.receive(*stream);
  } catch (const HttpError& error) {
    refused.emplace(error.problem());
  }
  if (refused) co_return std::unexpected(std::move(*refused));
  co_return receiver.take();
}

}  // namespace tern::app
