#pragma once

#include "daemon/interchange/session_walk.hpp"
#include "schemas/query.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memd::interchange {

// Where a transcript comes from, as name and value, for the head of a readable file. Empty ones are left out.
std::vector<std::pair<std::string, std::string>> transcript_facts(const SessionRow& session);

// What became of it on the way out, in a sentence.
std::string provenance(const ExportReport& report);

// "2026-02-09 06:01:53" (UTC); empty for 0.
std::string readable_time(TimeMs time);

}  // namespace memd::interchange
