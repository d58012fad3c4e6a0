#include "daemon/resources/resource_versions.hpp"

#include "daemon/tools/scope.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/sessions.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace memd::resources {
namespace {

constexpr int kProjectSessions = 10;

class Fingerprint {
 public:
  Fingerprint& add(std::string_view text) {
    (text_ += text) += '\n';
    return *this;
  }
  Fingerprint& add(std::int64_t number) { return add(std::to_string(number)); }
  Fingerprint& add(const SessionRow& row) {
    return add(row.uid)
        .add(row.title)
        .add(row.ended_at)
        .add(row.exchanges)
        .add(row.tool_calls)
        .add(static_cast<std::int64_t>(row.state));
  }
  Fingerprint& add(const ExchangeRow& row) {
    return add(row.id)
        .add(row.last_seq)
        .add(row.ended_at)
        .add(row.user_message)
        .add(row.interventions)
        .add(row.assistant_response);
  }
  // Even and not 0: never what the protocol takes for "gone" or "unknown".
  std::uint64_t value() const { return std::max<std::uint64_t>(std::hash<std::string>()(text_) & ~1ULL, 2); }

 private:
  std::string text_;
};

}  // namespace

Version session_version(const tools::ToolServices& services, std::string_view reference, mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
  MEMD_TRY_ASSIGN(const SessionRow session, tools::find_session(services, *reader, reference));
  MEMD_TRY_ASSIGN(const auto last, reader->ask(LastExchangesQuery{session.pk, 1}));
  Fingerprint f;
  f.add(session);
  for (const ExchangeRow& row : last)
    f.add(row);
  return f.value();
}

Version exchange_version(const tools::ToolServices& services, std::string_view id, mcp::ToolContext& context) {
  const auto exchange = parse_exchange_id(id);
  if (!exchange) return Error(Errc::not_found, "\"" + std::string(id) + "\" is no exchange id, they look like x42");
  MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
  MEMD_TRY_ASSIGN(const ExchangeRow row, reader->ask(ExchangeQuery{*exchange}));
  return Fingerprint().add(row).value();
}

Version project_version(const tools::ToolServices& services, std::string_view key, mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
  SessionListQuery query;
  query.filter.project = key;
  query.limit = kProjectSessions;
  MEMD_TRY_ASSIGN(const SessionList list, reader->ask(query));
  Fingerprint f;
  f.add(list.total);
  for (const SessionRow& row : list.sessions)
    f.add(row);
  return f.value();
}

Version list_version(const tools::ToolServices& services, mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
  SessionListQuery query;
  query.filter.include_subagents = false;
  query.limit = 1;
  MEMD_TRY_ASSIGN(const SessionList list, reader->ask(query));
  return Fingerprint().add(list.total).value();
}

}  // namespace memd::resources
