#include "schemas/ascii.hpp"
#include "schemas/sql_text.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/sessions.hpp"
#include "store/text/token_budget.hpp"

namespace memd {
namespace {

constexpr int kNamed = 5;
constexpr std::size_t kEchoTokens = 60;

}  // namespace

std::string UnknownProjectQuery::run(sqlite::Database& db) const {
  if (part.empty()) return {};
  const std::string wanted = ascii::lowered(part);
  auto& fitting = db.prepare(
                        "SELECT 1 FROM projects WHERE instr(lower(identity_key), ?1) > 0 OR instr(lower(name), ?1) > 0"
                        " LIMIT 1")
                      .bind(wanted);
  const bool known = fitting.step();
  fitting.reset();
  if (known) return {};

  std::string names;
  auto& newest = db.prepare(sql_text("SELECT p.name FROM sessions s JOIN projects p ON p.project_pk = s.project_pk"
                                     " WHERE s.kind = SessionKind::main AND p.name <> '' GROUP BY p.name"
                                     " ORDER BY max(s.ended_at) DESC LIMIT ?1"))
                     .bind(kNamed);
  while (newest.step())
    names.append(names.empty() ? "" : ", ").append(newest.text(0));
  newest.reset();
  if (names.empty()) return {};
  return "no project has \"" + cut_to_tokens(part, kEchoTokens).text + "\" in its path or name; the newest are " +
         names;
}

}  // namespace memd
