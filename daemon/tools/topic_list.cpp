#include <algorithm>
#include "daemon/tools/page_cursor.hpp"
#include "daemon/tools/topic_search.hpp"
#include "schemas/ascii.hpp"
#include "store/enrich/enrichment_queue.hpp"
#include "store/search/topic_index.hpp"

namespace memd::tools {

Result<TopicSearchAnswer> list_topics(const ToolServices& services, const TopicSearchParams& params, const Scope& scope,
                                      Reader& reader) {
  constexpr int kPage = 100;
  const auto question = question_key({"topic_search", "", scope.key});
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, question));
  MEMD_TRY_ASSIGN(const TopicList list, reader.ask(TopicListQuery{scope.filter, kPage, static_cast<int>(at.offset)}));
  MEMD_TRY_ASSIGN(const EnrichmentBacklog backlog, reader.ask(EnrichmentBacklogQuery{}));
  Answer frame = answer_for(scope);
  if (backlog.terms > 0)
    frame.notice += " The topics of " + std::to_string(backlog.terms) + " exchanges are still to be found.";
  return fit_answer<TopicSearchAnswer>(token_limit(services, params), frame, [&](std::size_t tokens) {
    TopicSearchAnswer out;
    static_cast<Answer&>(out) = frame;
    out.topics_found = list.total;
    out.topics.emplace();
    std::size_t used = 60;
    for (const TopicCount& t : list.topics) {
      TopicOut one{ascii::one_line(t.topic), t.exchanges, t.sessions, to_out(t.span)};
      used += estimate_tokens(mcp::to_json(one)) + 1;
      if (!out.topics->empty() && used > tokens) break;
      out.topics->push_back(std::move(one));
    }
    const std::int64_t end = at.offset + static_cast<std::int64_t>(out.topics->size());
    if (end < list.total && !out.topics->empty()) out.next = encode_cursor({end, 0}, question);
    return out;
  });
}

}  // namespace memd::tools
