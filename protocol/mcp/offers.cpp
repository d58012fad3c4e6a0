#include "protocol/mcp/offers.hpp"

#include "schemas/base/error.hpp"

#include <boost/json/object.hpp>
#include <boost/url/encode.hpp>
#include <boost/url/pct_string_view.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

#include <algorithm>

namespace memd::mcp {
namespace {

boost::json::object as_json(const UriTemplate::Values& variables) {
  boost::json::object out;
  for (const auto& [name, value] : variables)
    out[name] = value;
  return out;
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  return boost::urls::encode({text.data(), text.size()}, boost::urls::unreserved_chars);
}

std::optional<std::string> percent_decoded(std::string_view text) {
  const auto encoded = boost::urls::make_pct_string_view({text.data(), text.size()});
  if (!encoded) return std::nullopt;
  return encoded->decode();
}

UriTemplate::UriTemplate(std::string text) : text_(std::move(text)) {
  std::string_view rest = text_;
  for (;;) {
    const std::size_t open = rest.find('{');
    Piece piece{std::string(rest.substr(0, open)), {}};
    if (open == std::string_view::npos) {
      pieces_.push_back(std::move(piece));
      return;
    }
    const std::size_t close = rest.find('}', open);
    if (close == std::string_view::npos || close == open + 1 || piece.literal.empty())
      throw ErrorException(Error(Errc::invalid_argument, "no URI template: " + text_));
    piece.name = rest.substr(open + 1, close - open - 1);
    pieces_.push_back(std::move(piece));
    rest.remove_prefix(close + 1);
  }
}

std::optional<UriTemplate::Values> UriTemplate::match(std::string_view uri) const {
  Values out;
  if (!uri.starts_with(pieces_.front().literal)) return std::nullopt;
  uri.remove_prefix(pieces_.front().literal.size());
  for (std::size_t i = 0; i + 1 < pieces_.size(); ++i) {
    const std::string& behind = pieces_[i + 1].literal;
    const bool last = i + 2 == pieces_.size();
    std::size_t end = std::string_view::npos;
    if (!last)
      end = uri.find(behind, 1);
    else if (uri.size() > behind.size() && uri.ends_with(behind))
      end = uri.size() - behind.size();
    if (end == std::string_view::npos) return std::nullopt;
    auto value = percent_decoded(uri.substr(0, end));
    if (!value) return std::nullopt;
    out.emplace_back(pieces_[i].name, std::move(*value));
    uri.remove_prefix(end + behind.size());
  }
  if (!uri.empty()) return std::nullopt;
  return out;
}

const Prompt* PromptRegistry::find(std::string_view name) const {
  const auto it = std::find_if(prompts_.begin(), prompts_.end(), [&](const Prompt& p) {
    return p.info.name == name || (!name.empty() && p.info.former_name == name);
  });
  return it == prompts_.end() ? nullptr : &*it;
}

Result<ArgumentValues> PromptRegistry::complete(std::string_view name, std::string_view argument,
                                                std::string_view typed, ToolContext& context) const {
  const Prompt* prompt = find(name);
  if (prompt == nullptr)
    return Error(Errc::invalid_argument, "ref.name: there is no prompt \"" + std::string(name.substr(0, 100)) + "\"");
  const auto completer = prompt->info.completers.find(argument);
  if (completer == prompt->info.completers.end()) return ArgumentValues{};
  return completer->second(typed, context);
}

std::vector<const ResourceInfo*> ResourceRegistry::templates() const {
  std::vector<const ResourceInfo*> out;
  for (const Family& family : families_)
    out.push_back(&family.info);
  return out;
}

Result<ResourcePage> ResourceRegistry::list(const std::optional<std::string>& cursor, ToolContext& context) const {
  if (list_) return list_(cursor, context);
  if (cursor) return Error(Errc::invalid_argument, "unknown cursor: the list has one page");
  return ResourcePage{};
}

ResourceRegistry::Version ResourceRegistry::list_version(ToolContext& context) const {
  return list_version_ ? list_version_(context) : Version(0);
}

Result<ResourceRegistry::Found> ResourceRegistry::find(std::string_view uri) const {
  std::string forms;
  for (const Family& family : families_) {
    if (auto variables = family.form.match(uri)) return Found{&family, std::move(*variables)};
    forms.append(forms.empty() ? "" : ", ").append(family.info.uri_template);
  }
  return Error(Errc::not_found, "there is no resource \"" + std::string(uri.substr(0, 200)) +
                                    "\"; their URIs have the forms " + (forms.empty() ? "of none" : forms));
}

Result<ResourceRegistry::Contents> ResourceRegistry::read(std::string_view uri, ToolContext& context) const {
  MEMD_TRY_ASSIGN(const Found found, find(uri));
  MEMD_TRY_ASSIGN(std::string text, found.family->read(as_json(found.variables), context));
  return Contents{std::move(text), found.family->info.mime_type};
}

ResourceRegistry::Version ResourceRegistry::version(std::string_view uri, ToolContext& context) const {
  MEMD_TRY_ASSIGN(const Found found, find(uri));
  return found.family->version(as_json(found.variables), context);
}

Result<ArgumentValues> ResourceRegistry::complete(std::string_view uri_template, std::string_view variable,
                                                  std::string_view typed, ToolContext& context) const {
  // Some clients send a URI that is half filled in, so it need not be the template itself.
  const auto it = std::find_if(families_.begin(), families_.end(), [&](const Family& f) {
    return f.info.uri_template == uri_template || f.form.match(uri_template).has_value();
  });
  if (it == families_.end())
    return Error(Errc::invalid_argument, "ref.uri: \"" + std::string(uri_template.substr(0, 200)) +
                                             "\" is no resource template, see resources/templates/list");
  const auto completer = it->info.completers.find(variable);
  if (completer == it->info.completers.end()) return ArgumentValues{};
  return completer->second(typed, context);
}

}  // namespace memd::mcp
