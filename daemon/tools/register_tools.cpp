#include "daemon/tools/register_tools.hpp"

#include "daemon/tools/capabilities.hpp"
#include "daemon/tools/file_history.hpp"
#include "daemon/tools/get_exchange.hpp"
#include "daemon/tools/list_sessions.hpp"
#include "daemon/tools/recent_turns.hpp"
#include "daemon/tools/resume_context.hpp"
#include "daemon/tools/semantic_search.hpp"
#include "daemon/tools/session_summary.hpp"
#include "daemon/tools/temporal_query.hpp"
#include "daemon/tools/topic_search.hpp"

namespace memd::tools {

void register_tools(mcp::ToolRegistry& registry, const ToolServices& services) {
  add_resume_context(registry, services);
  add_semantic_search(registry, services);
  add_get_exchange(registry, services);
  add_recent_turns(registry, services);
  add_session_summary(registry, services);
  add_topic_search(registry, services);
  add_temporal_query(registry, services);
  add_file_history(registry, services);
  add_list_sessions(registry, services);
  add_capabilities(registry, services);
}

}  // namespace memd::tools
