#include "protocol/mcp/server_profile.hpp"
#include "schemas/base/error.hpp"

#include <utility>

namespace memd::mcp {
namespace {

constexpr std::size_t kMaxInstructions = 2048;
// How long a client may cache the list, which changes only with the program. An upgraded daemon notifies its listeners.
constexpr std::int64_t kToolListTtlMs = 60'000;

void write_implementation(json::Writer& w, const ServerIdentity& identity, bool with_title) {
  w.begin_object();
  w.member("name", identity.name);
  if (with_title && !identity.title.empty()) w.member("title", identity.title);
  w.member("version", identity.version);
  w.end_object();
}

void write_tool(json::Writer& w, const Tool& tool, Revision r) {
  const ToolInfo& info = tool.info;
  w.begin_object();
  w.member("name", info.name);
  if (has_structured_content(r) && !info.title.empty()) w.member("title", info.title);
  w.member("description", info.description);
  w.member_raw("inputSchema", tool.input_schema);
  if (has_structured_content(r)) w.member_raw("outputSchema", tool.output_schema);
  if (has_annotations(r)) {
    w.key("annotations");
    w.begin_object();
    if (!info.title.empty()) w.member("title", info.title);
    w.member_bool("readOnlyHint", info.annotations.read_only);
    w.member_bool("destructiveHint", info.annotations.destructive);
    w.member_bool("idempotentHint", info.annotations.idempotent);
    w.member_bool("openWorldHint", info.annotations.open_world);
    w.end_object();
  }
  if (has_structured_content(r) && (info.always_shown || !info.search_words.empty())) {
    w.key("_meta");
    w.begin_object();
    if (info.always_shown) w.member_bool("anthropic/alwaysLoad", true);
    if (!info.search_words.empty()) w.member("anthropic/searchHint", info.search_words);
    w.end_object();
  }
  w.end_object();
}

}  // namespace

ServerProfile::ServerProfile(ServerIdentity identity, const ToolRegistry& tools, const Clock& clock,
                             ServerLimits limits, Offers offers)
    : identity_(std::move(identity)), tools_(tools), clock_(clock), limits_(limits), offers_(offers) {
  if (identity_.instructions.size() > kMaxInstructions)
    throw ErrorException(Error(Errc::invalid_argument, "server instructions are longer than 2,048 characters"));
  {
    std::string info;
    json::Writer info_writer(info);
    write_implementation(info_writer, identity_, true);
    json::append_string(server_info_member_, "io.modelcontextprotocol/serverInfo");
    server_info_member_.append(":").append(info);
  }
  for (std::size_t i = 0; i < kRevisionNames.size(); ++i) {
    const auto r = static_cast<Revision>(i);
    json::Writer list(tool_lists_[i]);
    begin_result(list, r);
    list.key("tools");
    list.begin_array();
    for (const Tool& tool : tools_.tools())
      write_tool(list, tool, r);
    list.end_array();
    end_result(list, r, kToolListTtlMs);

    if (is_modern(r)) continue;
    json::Writer init(initialize_results_[i]);
    init.begin_object();
    init.member("protocolVersion", to_string(r));
    init.member_raw("capabilities", capabilities(r));
    init.key("serverInfo");
    write_implementation(init, identity_, has_structured_content(r));
    if (!identity_.instructions.empty()) init.member("instructions", identity_.instructions);
    init.end_object();
  }
  json::Writer discover(discover_result_);
  begin_result(discover, Revision::v2026_07_28);
  discover.member_raw("supportedVersions", R"(["2026-07-28"])");
  discover.member_raw("capabilities", capabilities(Revision::v2026_07_28));
  if (!identity_.instructions.empty()) discover.member("instructions", identity_.instructions);
  end_result(discover, Revision::v2026_07_28, 0);
}

// Without listChanged for prompts and tools: they change only with the program.
std::string ServerProfile::capabilities(Revision r) const {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  if (has_completions(r) && (offers_.resources != nullptr || offers_.prompts != nullptr))
    w.member_raw("completions", "{}");
  if (!is_modern(r)) w.member_raw("logging", "{}");
  if (offers_.prompts != nullptr) w.member_raw("prompts", "{}");
  if (offers_.resources != nullptr) w.member_raw("resources", R"({"listChanged":true,"subscribe":true})");
  w.member_raw("tools", "{}");
  w.end_object();
  return out;
}

void ServerProfile::begin_result(json::Writer& w, Revision r, std::string_view type) const {
  w.begin_object();
  if (is_modern(r)) w.member("resultType", type);
}

void ServerProfile::end_result(json::Writer& w, Revision r, std::optional<TimeMs> ttl_ms) const {
  if (is_modern(r)) {
    if (ttl_ms) {
      w.member_number("ttlMs", static_cast<std::int64_t>(*ttl_ms));
      w.member("cacheScope", "private");
    }
    w.member_raw("_meta", "{" + server_info_member_ + "}");
  }
  w.end_object();
}

void ServerProfile::add_method(std::string name, ExtensionMethod method) {
  methods_.insert_or_assign(std::move(name), std::move(method));
}

const ExtensionMethod* ServerProfile::find_method(std::string_view name) const {
  const auto it = methods_.find(name);
  return it == methods_.end() ? nullptr : &it->second;
}

std::string ServerProfile::subscription_end_result(std::string_view id) const {
  std::string members = R"("io.modelcontextprotocol/subscriptionId":)";
  members.append(id).append(",").append(server_info_member_);
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member("resultType", "complete");
  w.member_raw("_meta", "{" + members + "}");
  w.end_object();
  return out;
}

std::string ServerProfile::tool_result(const ToolOutcome& outcome, Revision r) const {
  std::string out;
  out.reserve(outcome.text.size() + outcome.structured.size() + 256);
  json::Writer w(out);
  begin_result(w, r);
  w.key("content");
  w.begin_array();
  w.begin_object();
  w.member("type", "text");
  w.member("text", outcome.text);
  w.end_object();
  w.end_array();
  if (has_structured_content(r) && !outcome.structured.empty()) w.member_raw("structuredContent", outcome.structured);
  w.member_bool("isError", outcome.is_error);
  end_result(w, r);
  return out;
}

}  // namespace memd::mcp
