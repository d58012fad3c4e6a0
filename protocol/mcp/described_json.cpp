#include "protocol/mcp/described_json.hpp"

#include "schemas/base/error.hpp"

#include <boost/json.hpp>

namespace memd::mcp {
namespace bj = boost::json;

bool JsonRef::is_object() const { return value_ != nullptr && value_->is_object(); }

JsonRef JsonRef::member(std::string_view name) const {
  if (!is_object()) return JsonRef(nullptr);
  const bj::value* found = value_->as_object().if_contains(name);
  return JsonRef(found != nullptr && !found->is_null() ? found : nullptr);
}

std::optional<std::vector<std::pair<std::string, JsonRef>>> JsonRef::members() const {
  if (!is_object()) return std::nullopt;
  std::vector<std::pair<std::string, JsonRef>> out;
  for (const auto& member : value_->as_object())
    out.emplace_back(std::string(member.key()), JsonRef(&member.value()));
  return out;
}

std::optional<std::vector<JsonRef>> JsonRef::items() const {
  if (value_ == nullptr || !value_->is_array()) return std::nullopt;
  std::vector<JsonRef> out;
  for (const auto& item : value_->as_array())
    out.emplace_back(&item);
  return out;
}

std::optional<std::string_view> JsonRef::text() const {
  if (value_ == nullptr || !value_->is_string()) return std::nullopt;
  return std::string_view(value_->as_string());
}

std::optional<std::int64_t> JsonRef::integer() const {
  if (value_ == nullptr) return std::nullopt;
  boost::system::error_code ec;
  const auto out = value_->to_number<std::int64_t>(ec);
  return ec ? std::nullopt : std::optional(out);
}

std::optional<std::uint64_t> JsonRef::natural() const {
  if (value_ == nullptr) return std::nullopt;
  boost::system::error_code ec;
  const auto out = value_->to_number<std::uint64_t>(ec);
  return ec ? std::nullopt : std::optional(out);
}

std::optional<double> JsonRef::number() const {
  if (value_ == nullptr || !value_->is_number()) return std::nullopt;
  return value_->to_number<double>();
}

std::optional<bool> JsonRef::flag() const {
  if (value_ == nullptr || !value_->is_bool()) return std::nullopt;
  return value_->as_bool();
}

JsonDocument::JsonDocument(std::unique_ptr<bj::value> value) : value_(std::move(value)) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

Result<JsonDocument> JsonDocument::parse(std::string_view text) {
  boost::system::error_code ec;
  auto value = std::make_unique<bj::value>(bj::parse(text, ec));
  if (ec) return Error(Errc::protocol, "the answer is no JSON: " + ec.message());
  return JsonDocument(std::move(value));
}

void DescribedReader::read_members(const JsonRef& from, std::string_view name,
                                   std::span<const detail::ReadField> fields, void* object) {
  if (!from.is_object()) return wrong(name);
  for (const detail::ReadField& field : fields)
    if (const JsonRef member = from.member(field.name); member.is_present())
      field.read(*this, member, field.name, const_cast<void*>(field.member(object)));
}

void DescribedReader::wrong(std::string_view name) {
  if (problem_.empty()) problem_ = "the answer's \"" + std::string(name) + "\" is not of the type that it should have";
}

Result<void> DescribedReader::outcome() const {
  if (!problem_.empty()) return Error(Errc::protocol, problem_);
  return {};
}

std::string detail::to_arguments(std::span<const WrittenField> fields, const void* params, const void* usual) {
  const auto value_of = [](const WrittenField& field, const void* object) {
    std::string out;
    json::Writer w(out);
    const void* const member = field.member(object);
    if (field.is_absent == nullptr || !field.is_absent(member)) field.write(w, member, Texts::as_they_are);
    return out;
  };
  std::string out;
  json::Writer w(out);
  w.begin_object();
  for (const WrittenField& field : fields) {
    const std::string value = value_of(field, params);
    if (!value.empty() && value != R"("")" && value != value_of(field, usual)) w.member_raw(field.name, value);
  }
  w.end_object();
  return out;
}

}  // namespace memd::mcp
