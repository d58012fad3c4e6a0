#include "store/read/row_filter.hpp"

#include "schemas/base/ascii.hpp"
#include "store/read/sessions.hpp"

namespace memd::queries {

SessionConditions conditions_of(sqlite::Database& db, const QueryFilter& filter) {
  SessionConditions out;
  out.platforms = filter.no_platform ? std::string(",,") : platform_list(filter.platforms);
  out.project = ascii::lowered(filter.project);
  out.include_subagents = filter.include_subagents;
  if (!filter.session.empty()) out.session_pk = resolve_session(db, filter.session, filter.project);
  return out;
}

std::string platform_list(const std::vector<Platform>& platforms) {
  std::string out;
  for (const Platform p : platforms)
    out.append(out.empty() ? "," : "").append(to_string(p)).append(",");
  return out;
}

std::string number_list(const std::vector<std::int64_t>& numbers) {
  std::string out = "[";
  for (const auto n : numbers)
    out.append(out.size() > 1 ? "," : "").append(std::to_string(n));
  return out + "]";
}

}  // namespace memd::queries
