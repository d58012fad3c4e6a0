#include "bench/retrieval/indexed_home.hpp"

#include "schemas/ids.hpp"
#include "store/db/database.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>

namespace memd::bench {

namespace {

constexpr int kMostPages = 12;
constexpr int kHitsAPage = 50;
constexpr int kTokensAPage = 8000;

std::string text_of(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

Hit read_hit(const boost::json::object& result) {
  Hit hit;
  hit.exchange_id = text_of(result, "exchange_id");
  hit.session_uid = text_of(result, "session_id");
  if (const auto* score = result.if_contains("relevance_score")) hit.score = score->to_number<double>();
  hit.confidence = text_of(result, "confidence");
  return hit;
}

bool deep_enough(const std::vector<Hit>& hits, Depth depth) {
  if (hits.size() < depth.hits) return false;
  std::set<std::string_view> sessions;
  for (const Hit& hit : hits)
    sessions.insert(hit.session_uid);
  return sessions.size() >= depth.sessions;
}

}  // namespace

SearchTool::SearchTool(const std::string& socket) : client_(socket, "retrieval_bench") {
  const boost::json::value tools = client_.call("tools/list", {});
  for (const auto& tool : tools.at("tools").as_array()) {
    if (tool.at("name") != "semantic_search") continue;
    const auto& properties = tool.at("inputSchema").at("properties").as_object();
    has_mode_ = properties.contains("mode");
  }
}

RankedList SearchTool::search(const std::string& question, const std::string& mode, Depth depth,
                              const std::string& directory, const std::vector<std::string>& also) {
  RankedList list;
  std::string cursor;
  for (int page = 0; page < kMostPages; ++page) {
    boost::json::object arguments{{"query", question},
                                  {"n_results", depth.sessions > 0 ? kHitsAPage : static_cast<int>(depth.hits)},
                                  {"max_tokens", kTokensAPage}};
    if (!mode.empty()) arguments["mode"] = mode;
    if (!directory.empty()) arguments["cwd"] = directory;
    if (!also.empty()) arguments["also"] = boost::json::value_from(also);
    if (!cursor.empty()) arguments["cursor"] = cursor;
    const auto start = std::chrono::steady_clock::now();
    const boost::json::value result = client_.call_tool("semantic_search", std::move(arguments));
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    const auto* structured = result.as_object().if_contains("structuredContent");
    if (structured == nullptr) throw std::runtime_error("semantic_search: " + boost::json::serialize(result));
    const boost::json::object& answer = structured->as_object();
    if (page == 0) {
      list.milliseconds = taken.count();
      list.ranking = text_of(answer, "ranking");
      if (const auto* nothing = answer.if_contains("nothing_relevant")) list.nothing_relevant = nothing->as_bool();
      if (const auto* outside = answer.if_contains("outside")) list.outside = outside->as_int64();
      if (const auto* better = answer.if_contains("better_elsewhere"))
        list.better = text_of(better->as_object(), "project");
    }
    for (const auto& found : answer.at("results").as_array())
      list.hits.push_back(read_hit(found.as_object()));
    cursor = text_of(answer, "next");
    if (cursor.empty() || deep_enough(list.hits, depth)) break;
  }
  return list;
}

IndexedHome::IndexedHome(const std::filesystem::path& memd,
                         const std::function<void(const std::filesystem::path& home)>& write)
    : served_(memd, write), tool_(std::make_unique<SearchTool>(served_.socket())) {
  load();
}

void IndexedHome::load() {
  auto db = sqlite::Database::open(database(), sqlite::OpenMode::read_only);
  auto& q = db.prepare(
      "SELECT exchange_pk, uid, exchange_number, coalesce(user_message, ''), coalesce(interventions, ''),"
      " coalesce(assistant_response, ''), coalesce(tool_text, ''), coalesce(identity_key, '')"
      " FROM exchanges JOIN sessions USING (session_pk) LEFT JOIN projects USING (project_pk)"
      " ORDER BY uid, exchange_number");
  while (q.step()) {
    std::string text;
    for (int column = 3; column < 7; ++column)
      if (!q.text(column).empty()) text += (text.empty() ? "" : "\n") + q.str(column);
    documents_.push_back({format_exchange_id(q.int64(0)), q.str(1), q.int64(2), std::move(text), q.str(7)});
  }
  q.reset();
}

std::vector<const Document*> IndexedHome::session(const std::string& uid) const {
  std::vector<const Document*> out;
  for (const Document& document : documents_)
    if (document.session_uid == uid) out.push_back(&document);
  if (out.empty()) throw std::runtime_error("no exchange of " + uid + " is in the store");
  return out;
}

}  // namespace memd::bench
