#pragma once

#include "daemon/tools/tool_services.hpp"
#include "store/insight/continuity/session_past.hpp"

#include <string>

namespace memd::tools {

// Fetches the full texts that continuity::texts_to_fetch() wishes for into past.full_texts, with secrets masked. What
// cannot be read any more (the agent purged its file, and no raw layer has it) is left out: the rows' single lines do.
// Returns how many those were.
std::size_t fetch_past_texts(const ToolServices& services, Reader& reader, std::int64_t session_pk,
                             continuity::SessionPast& past);

// The platform's own summary at the boundary; empty when there is none or it cannot be read.
std::string platform_summary(const ToolServices& services, Reader& reader, std::int64_t session_pk,
                             const continuity::Boundary& boundary);

}  // namespace memd::tools
