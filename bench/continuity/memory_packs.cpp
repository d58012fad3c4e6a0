#include "bench/continuity/memory_packs.hpp"

#include "bench/continuity/prefix_home.hpp"
#include "bench/served_memd.hpp"
#include "schemas/ids.hpp"

#include <boost/json.hpp>

#include <stdexcept>

namespace memd::bench {
namespace fs = std::filesystem;
namespace json = boost::json;
namespace {

constexpr std::string_view kResume = "resume_context";
constexpr std::string_view kRecent = "recent_turns";

class PackTools {
 public:
  PackTools(const std::string& socket, std::string session) : client_(socket, "bench"), session_(std::move(session)) {
    const json::value listed = client_.call("tools/list", {});
    for (const auto& tool : listed.at("tools").as_array())
      if (tool.at("name").as_string() == kResume) {
        has_resume_ = true;
        takes_complement_ = tool.at("inputSchema").at("properties").as_object().contains("complement");
      }
  }

  bool has_resume() const { return has_resume_; }

  std::string recent_turns(std::size_t tokens) { return ask(kRecent, {{"n_turns", 100}}, tokens); }
  std::string resume(std::size_t tokens) { return ask(kResume, {}, tokens); }
  std::string complement(std::size_t tokens) {
    json::object arguments;
    if (takes_complement_) arguments["complement"] = "always";
    return ask(kResume, std::move(arguments), tokens);
  }

 private:
  std::string ask(std::string_view tool, json::object arguments, std::size_t tokens) {
    arguments["session_id"] = session_;
    arguments["max_tokens"] = tokens;
    const json::value result = client_.call_tool(tool, std::move(arguments));
    const auto* error = result.as_object().if_contains("isError");
    std::string text(result.at("content").at(0).at("text").as_string());
    if (error != nullptr && error->is_bool() && error->get_bool())
      throw std::runtime_error(std::string(tool) + " of " + session_ + ": " + text);
    return text;
  }

  RpcClient client_;
  std::string session_;
  bool has_resume_ = false;
  bool takes_complement_ = false;
};

}  // namespace

std::vector<Pack> memory_packs(const fs::path& memd, const Transcript& transcript, const Compaction& compaction,
                               const std::vector<std::size_t>& budgets,
                               const std::vector<std::size_t>& complement_tokens) {
  std::vector<Pack> out;
  ServedHome served(memd, [&](const fs::path& home) { write_prefix(transcript, compaction.boundary, home); });
  PackTools tools(served.socket(), make_session_uid(Platform::claude_code, transcript.native_id()));
  for (const std::size_t tokens : budgets) {
    out.push_back({std::string(kRecent), tokens, false, tools.recent_turns(tokens)});
    if (tools.has_resume()) out.push_back({std::string(kResume), tokens, false, tools.resume(tokens)});
  }
  if (compaction.platform_summary.empty()) return out;
  append_records(transcript, compaction.boundary, compaction.resumed, served.home());
  served.wait_until_taken_in();
  for (const std::size_t tokens : complement_tokens) {
    out.push_back({std::string(kRecent), tokens, true, tools.recent_turns(tokens)});
    if (tools.has_resume()) out.push_back({std::string(kResume), tokens, true, tools.complement(tokens)});
  }
  return out;
}

}  // namespace memd::bench
