#include "protocol/mcp/offered_methods.hpp"

#include "protocol/mcp/request_params.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/json_writer.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <span>

namespace memd::mcp {
namespace {

namespace bj = boost::json;

// How long a client may cache templates and prompts, which change only with the program. Results from history may not
// be cached.
constexpr TimeMs kDeclarationTtlMs = 60'000;

Error bad_argument(std::string what) { return Error(Errc::invalid_argument, std::move(what)); }

Result<std::optional<std::string>> cursor_of(const Call& call) {
  const bj::value* cursor = member(call.params, "cursor");
  if (cursor == nullptr) return std::optional<std::string>();
  if (!cursor->is_string()) return bad_argument("params.cursor has to be a string");
  return std::optional<std::string>(std::string_view(cursor->get_string()));
}

// Fails if the request has a cursor. For lists of one page, which never issue a cursor.
Result<void> refuse_cursor(const Call& call) {
  if (member(call.params, "cursor") != nullptr) return bad_argument("unknown cursor: the list has one page");
  return {};
}

void write_title(json::Writer& w, const std::string& title, Revision r) {
  if (has_structured_content(r) && !title.empty()) w.member("title", title);
}

Result<std::string> list_resources(const ServerProfile& profile, const Call& call, ToolContext& context) {
  MEMD_TRY_ASSIGN(const auto cursor, cursor_of(call));
  MEMD_TRY_ASSIGN(const ResourcePage page, profile.resources()->list(cursor, context));
  std::string out;
  json::Writer w(out);
  profile.begin_result(w, call.revision);
  w.member_objects("resources", page.entries, [&](const ResourceEntry& entry) {
    w.member("uri", entry.uri);
    w.member("name", entry.name);
    write_title(w, entry.title, call.revision);
    if (!entry.description.empty()) w.member("description", entry.description);
    w.member("mimeType", entry.mime_type);
    if (has_structured_content(call.revision) && !entry.last_modified.empty()) {
      w.key("annotations");
      w.begin_object();
      w.member("lastModified", entry.last_modified);
      w.end_object();
    }
  });
  if (page.next) w.member("nextCursor", *page.next);
  profile.end_result(w, call.revision, 0);
  return out;
}

Result<std::string> list_templates(const ServerProfile& profile, const Call& call, ToolContext&) {
  MEMD_TRY(refuse_cursor(call));
  std::string out;
  json::Writer w(out);
  profile.begin_result(w, call.revision);
  w.member_objects("resourceTemplates", profile.resources()->templates(), [&](const ResourceInfo* info) {
    w.member("uriTemplate", info->uri_template);
    w.member("name", info->name);
    write_title(w, info->title, call.revision);
    w.member("description", info->description);
    w.member("mimeType", info->mime_type);
  });
  profile.end_result(w, call.revision, kDeclarationTtlMs);
  return out;
}

Result<std::string> read_resource(const ServerProfile& profile, const Call& call, ToolContext& context) {
  const auto uri = string_member(call.params, "uri");
  if (!uri) return bad_argument("params.uri has to be the URI of a resource");
  MEMD_TRY_ASSIGN(const auto contents, profile.resources()->read(*uri, context));
  std::string out;
  out.reserve(contents.text.size() + 300);
  json::Writer w(out);
  profile.begin_result(w, call.revision);
  w.key("contents");
  w.begin_array();
  w.begin_object();
  w.member("uri", *uri);
  w.member("mimeType", contents.mime_type);
  w.member("text", contents.text);
  w.end_object();
  w.end_array();
  profile.end_result(w, call.revision, 0);
  return out;
}

Result<std::string> list_prompts(const ServerProfile& profile, const Call& call, ToolContext&) {
  MEMD_TRY(refuse_cursor(call));
  std::string out;
  json::Writer w(out);
  profile.begin_result(w, call.revision);
  w.member_objects("prompts", profile.prompts()->prompts(), [&](const Prompt& prompt) {
    w.member("name", prompt.info.name);
    write_title(w, prompt.info.title, call.revision);
    w.member("description", prompt.info.description);
    if (!prompt.arguments.empty()) {
      w.member_objects("arguments", prompt.arguments, [&](const PromptArgument& argument) {
        w.member("name", argument.name);
        w.member("description", argument.description);
        w.member_bool("required", argument.required);
      });
    }
  });
  profile.end_result(w, call.revision, kDeclarationTtlMs);
  return out;
}

Result<std::string> get_prompt(const ServerProfile& profile, const Call& call, ToolContext& context) {
  const auto name = string_member(call.params, "name");
  const Prompt* prompt = name ? profile.prompts()->find(*name) : nullptr;
  if (prompt == nullptr)
    return bad_argument(name ? "unknown prompt: " + std::string(name->substr(0, 100))
                             : "params.name has to be the name of a prompt");
  const bj::value* arguments = member(call.params, "arguments");
  if (arguments != nullptr && !arguments->is_object())
    return bad_argument("params.arguments has to be an object of strings");
  const bj::object none;
  MEMD_TRY_ASSIGN(const PromptText text, prompt->get(arguments != nullptr ? arguments->get_object() : none, context));
  std::string out;
  json::Writer w(out);
  profile.begin_result(w, call.revision);
  w.member("description", prompt->info.description);
  w.member_objects("messages", text.messages, [&](const std::string& message) {
    w.member("role", "user");
    w.key("content");
    w.begin_object();
    w.member("type", "text");
    w.member("text", message);
    w.end_object();
  });
  profile.end_result(w, call.revision);
  return out;
}

Result<ArgumentValues> complete_reference(const ServerProfile& profile, const Call& call, ToolContext& context) {
  const bj::value* ref = member(call.params, "ref");
  const bj::value* argument = member(call.params, "argument");
  if (ref == nullptr || !ref->is_object())
    return bad_argument("params.ref has to name a prompt or a resource template");
  const auto name = argument != nullptr && argument->is_object() ? string_member(*argument, "name") : std::nullopt;
  const auto typed = name ? string_member(*argument, "value") : std::nullopt;
  if (!typed) return bad_argument("params.argument has to be an object with name and value, both strings");
  const auto type = string_member(*ref, "type").value_or("");
  const auto target = string_member(*ref, type == "ref/prompt" ? "name" : "uri").value_or("");
  if (type == "ref/prompt" && profile.prompts() != nullptr)
    return profile.prompts()->complete(target, *name, *typed, context);
  if (type == "ref/resource" && profile.resources() != nullptr)
    return profile.resources()->complete(target, *name, *typed, context);
  return bad_argument("params.ref.type has to be ref/prompt or ref/resource");
}

Result<std::string> complete(const ServerProfile& profile, const Call& call, ToolContext& context) {
  MEMD_TRY_ASSIGN(const ArgumentValues found, complete_reference(profile, call, context));
  const std::size_t shown = std::min(found.values.size(), kMaxArgumentValues);
  std::string out;
  json::Writer w(out);
  profile.begin_result(w, call.revision);
  w.key("completion");
  w.begin_object();
  w.member_texts("values", std::span(found.values).first(shown));
  if (found.total) w.member_number("total", *found.total);
  w.member_bool("hasMore", found.more || shown < found.values.size());
  w.end_object();
  profile.end_result(w, call.revision);
  return out;
}

}  // namespace

OfferedMethod find_offered_method(std::string_view name, const ServerProfile& profile) {
  if (profile.resources() != nullptr) {
    if (name == "resources/list") return list_resources;
    if (name == "resources/templates/list") return list_templates;
    if (name == "resources/read") return read_resource;
  }
  if (profile.prompts() != nullptr) {
    if (name == "prompts/list") return list_prompts;
    if (name == "prompts/get") return get_prompt;
  }
  if (name == "completion/complete" && (profile.resources() != nullptr || profile.prompts() != nullptr))
    return complete;
  return nullptr;
}

}  // namespace memd::mcp
