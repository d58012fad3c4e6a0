#include "test/adapters/session_counts.hpp"

#include <map>
#include <utility>

namespace memd::test {

Session count_session(const Decoded& decoded) {
  Session s;
  for (const Event& e : decoded.batch.events)
    if (e.session_uid == decoded.source.session_uid && (!e.is_echo || e.kind == EventKind::lifecycle))
      s.events.push_back(e);

  std::set<std::string> calls, results;
  std::set<std::pair<std::uint64_t, std::uint16_t>> result_blocks;  // record, block
  std::map<std::uint64_t, TokenUsage> responses;
  for (const Event& e : s.events) {
    if (e.kind == EventKind::tool_call) calls.insert(e.call_id);
    if (e.kind == EventKind::tool_result) result_blocks.insert({e.raw.offset, e.raw.block});
  }
  for (const Event& e : s.events) {
    switch (e.kind) {
      case EventKind::user_msg:
        if (e.origin == Origin::queued)
          s.queued.push_back(&e);
        else if (e.origin != Origin::parent_agent)
          s.prompts.push_back(&e);
        break;
      case EventKind::human_intervention:
        (result_blocks.contains({e.raw.offset, e.raw.block}) ? s.rejections : s.embedded).push_back(&e);
        break;
      case EventKind::assistant_msg: ++s.counts.assistant_text; break;
      case EventKind::thinking: ++s.counts.thinking; break;
      case EventKind::tool_call: ++s.counts.tool_calls; break;
      case EventKind::tool_result:
        results.insert(e.call_id);
        s.counts.orphan_results += !calls.contains(e.call_id);
        // The reference counts errors of calls only; one error in the corpus answers a missing call.
        s.counts.tool_errors += e.is_error && calls.contains(e.call_id);
        break;
      case EventKind::error: s.counts.synthetic_text += e.lifecycle == "api_error"; break;
      default:
        if (e.lifecycle == "compaction") s.compactions.push_back(&e);
        s.counts.interrupts += e.lifecycle == "interrupt";
        s.counts.microcompactions += e.lifecycle == "microcompaction";
        s.counts.compact_summaries += e.lifecycle == "compact_summary";
        s.counts.synthetic_text += e.lifecycle == "synthetic";
    }
    for (const FileTouch& f : e.files) {
      if (e.kind != EventKind::tool_call) continue;
      if (f.access == FileAccess::modified) s.modified.insert(f.path);
      if (f.access == FileAccess::read && e.tool != "LSP") s.read.insert(f.path);
    }
    if (e.response_key != 0) {
      auto& best = responses[e.response_key];
      if (e.usage.output >= best.output) best = e.usage;
    }
  }
  for (const auto& id : calls)
    s.counts.results_paired += results.contains(id);
  for (const auto& [key, usage] : responses)
    s.counts.tokens += usage;
  s.counts.responses = static_cast<std::int64_t>(responses.size());
  return s;
}

}  // namespace memd::test
