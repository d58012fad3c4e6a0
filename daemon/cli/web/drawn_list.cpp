#include "daemon/cli/web/drawn_list.hpp"

#include "daemon/cli/render/words.hpp"
#include "daemon/report/html_page.hpp"
#include "protocol/mcp/offers.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/base/time.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::cli::web {
namespace {

using tools::SessionOut;

constexpr std::size_t kRows = 24;  // more than most windows show
constexpr int kDeepest = 3;

// Puts escaped texts in the place of their names.
std::string filled(std::string_view markup, const std::map<std::string_view, std::string>& texts) {
  std::string out;
  while (!markup.empty()) {
    const std::size_t place = std::min(markup.find("${"), markup.size());
    out += markup.substr(0, place);
    markup.remove_prefix(place);
    if (markup.empty()) break;
    const std::size_t end = markup.find('}');
    out += report::escape_html(texts.at(markup.substr(2, end - 2)));
    markup.remove_prefix(end + 1);
  }
  return out;
}

// The formats below are those of parts.js.
std::string day_of(std::string_view time) {
  const auto at = parse_rfc3339(time);
  if (!at) return "Without a time";
  const std::tm day = fmt::gmtime(static_cast<std::time_t>(to_local(*at) / 1000));
  return fmt::format("{:%A}, {} {:%b %Y}", day, day.tm_mday, day);
}

std::string time_of(std::string_view time) {
  const auto at = parse_rfc3339(time);
  return at ? format_local_minute(*at).substr(11) : std::string();
}

std::string compact(std::int64_t n) {
  constexpr std::string_view kUnits = " KMBT";
  auto scaled = static_cast<double>(n);
  std::size_t unit = 0;
  for (; unit + 1 < kUnits.size() && scaled >= 999.95; ++unit)
    scaled /= 1000;
  std::string out = fmt::format("{:.1f}", scaled);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return unit == 0 ? out : out + kUnits[unit];
}

std::string facts_of(const SessionOut& s) {
  std::string out = name_of_agent(s.platform);
  const auto add = [&out](bool known, const std::string& fact) {
    if (known) out += " · " + fact;
  };
  add(!s.project.empty(), s.project);
  add(!s.git_branch.empty(), s.git_branch);
  add(s.exchanges > 0, with_noun(s.exchanges, "turn"));
  add(s.tool_errors > 0, fmt::format("{} failed", s.tool_errors));
  add(s.tokens_output > 0, compact(s.tokens_output) + " tokens");
  return out;
}

std::string state_of(const SessionOut& s) {
  if (s.state == "active" || s.state == "started") return "running";
  return s.outcome == "fail" ? "failed" : s.outcome == "abandoned" ? "abandoned" : "";
}

std::string row_of(const SessionOut& s, int depth) {
  const std::string state = state_of(s);
  return filled(report::page_file("session_row.html"),
                {{"kind", depth > 0 ? fmt::format("child depth-{}", depth) : ""},
                 {"id", mcp::percent_encoded(s.session_id)},
                 {"open", "false"},
                 {"title", s.session_name.empty() ? "Without a title" : s.session_name},
                 {"mark", state == "running" ? "running" : "muted small"},
                 {"state", state},
                 {"at", s.last_event_at},
                 {"time", time_of(s.last_event_at)},
                 {"agent", s.platform},
                 {"facts", facts_of(s)}});
}

// The rows of the list in their order: days, and subagents below those that started them.
class Rows {
 public:
  explicit Rows(const std::vector<SessionOut>& sessions) {
    std::vector<std::pair<std::string, std::vector<const SessionOut*>>> days;
    for (const SessionOut& s : sessions)
      known_[s.session_id];
    for (const SessionOut& s : sessions) {
      const auto parent = known_.find(s.parent_session_id.value_or(""));
      if (parent != known_.end()) {
        parent->second.push_back(&s);
        continue;
      }
      const std::string day = day_of(s.last_event_at);
      auto group = std::ranges::find(days, day, [](const auto& one) { return one.first; });
      if (group == days.end()) group = days.insert(days.end(), {day, {}});
      group->second.push_back(&s);
    }
    for (const auto& [day, members] : days) {
      add(fmt::format("<h2 class=\"day\">{} <span class=\"muted small\">{}</span></h2>", report::escape_html(day),
                      members.size()));
      for (const SessionOut* s : members)
        add(*s, 0);
    }
  }
  const std::string& markup() const { return markup_; }

 private:
  void add(const std::string& row) {
    if (rows_++ < kRows) markup_ += "<li>" + row + "</li>";
  }
  void add(const SessionOut& s, int depth) {
    add(row_of(s, depth));
    if (depth == kDeepest) return;
    for (const SessionOut* child : known_[s.session_id] | std::views::reverse)
      add(*child, depth + 1);
  }

  std::map<std::string_view, std::vector<const SessionOut*>> known_;  // those that a session started
  std::string markup_;
  std::size_t rows_ = 0;
};

}  // namespace

std::string drawn_list(const tools::ListSessionsAnswer& list) {
  constexpr std::string_view kPlace = "<ul class=\"rows drawn\">";
  std::string out = filled(report::page_file("web_list.html"), {{"told", with_noun(list.total, "session")}});
  return out.insert(out.find(kPlace) + kPlace.size(), Rows(list.sessions).markup());
}

std::string session_row_markup() {
  std::string out = "const sessionRow = ";
  json::Writer(out).string(report::page_file("session_row.html"));
  return out + ";\n";
}

}  // namespace memd::cli::web
