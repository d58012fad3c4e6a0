#include "daemon/tools/topic_search.hpp"

#include "schemas/ascii.hpp"

namespace memd::tools {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names)
    out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

std::string list_text(const TopicSearchAnswer& a) {
  std::string out = std::to_string(a.topics_found.value_or(0)) + " topics, what was talked about most first.\n";
  std::string body;
  for (const TopicOut& t : *a.topics)
    body += t.topic + "  " + std::to_string(t.exchanges) + " exchanges in " + std::to_string(t.sessions) +
            " sessions  " + short_time(t.time_range.start) + " to " + short_time(t.time_range.end) + "\n";
  if (body.empty()) return out + answer_footer(a);
  return out + history_block(body) + "How one went on: topic_search(topic=…).\n" + answer_footer(a);
}

}  // namespace

std::string render_text(const TopicSearchAnswer& a) {
  if (a.topics) return list_text(a);
  std::string out = "\"" + ascii::one_line(a.topic) + "\": " + std::to_string(a.total_exchanges) + " exchanges in " +
                    std::to_string(a.sessions_found) + " sessions, oldest first.\n";
  if (a.time_range) out += "From " + short_time(a.time_range->start) + " to " + short_time(a.time_range->end) + ".\n";
  std::string body;
  if (!a.evolution.empty()) body += a.evolution + "\n";
  if (a.known_as) body += "Known as: " + joined(*a.known_as) + "\n";
  if (a.related_topics) body += "Related: " + joined(*a.related_topics) + "\n";
  std::vector<std::string> ids;
  for (const auto& [uid, s] : a.by_session) {
    body += uid + "  \"" + s.session_name + "\"  " + s.platform + "  " + short_time(s.time_range.start) + " to " +
            short_time(s.time_range.end) + "  " + std::to_string(s.exchange_count) + " exchanges:";
    for (const std::string& id : s.exchange_ids)
      (body += ' ') += id;
    body += "\n  New, " + s.turn + (s.what_was_new.empty() ? "" : ": " + ascii::one_line(s.what_was_new));
    body += "\n" + s.summary + "\n";
    if (ids.empty()) ids = s.exchange_ids;
  }
  if (!body.empty()) out += history_block(body);
  if (!ids.empty()) out += "Full text: get_exchange(ids=[\"" + ids.front() + "\"]).\n";
  return out + answer_footer(a);
}

}  // namespace memd::tools
