#include "daemon/tools/get_exchange.hpp"

#include "daemon/tools/exchange_page.hpp"
#include "daemon/tools/page_cursor.hpp"
#include "schemas/ascii.hpp"
#include "store/read/exchanges.hpp"

#include <algorithm>

namespace memd::tools {
namespace {

struct Selection {
  std::vector<ExchangeRow> rows;
  std::vector<std::string> missing;
};

// Each exchange once, neighbours in their order around theirs.
Result<void> add_with_neighbours(Reader& reader, const ExchangeRow& row, std::int64_t around, Selection& out) {
  std::vector<ExchangeRow> found;
  if (around > 0) {
    const int n = static_cast<int>(around);
    MEMD_TRY_ASSIGN(found, reader.ask(ExchangeRangeQuery::around(row.session_pk, row.number, n, n)));
  } else {
    found.push_back(row);
  }
  for (ExchangeRow& f : found)
    if (std::none_of(out.rows.begin(), out.rows.end(), [&](const ExchangeRow& r) { return r.id == f.id; }))
      out.rows.push_back(std::move(f));
  return {};
}

Result<Selection> select_by_ids(Reader& reader, const GetExchangeParams& params) {
  Selection out;
  std::vector<ExchangeId> ids;
  for (const std::string& text : params.ids) {
    const auto id = parse_exchange_id(text);
    if (!id)
      return Error(Errc::invalid_argument,
                   "ids: \"" + text + "\" is no exchange id, send ids like x42 as the other tools give them");
    ids.push_back(*id);
  }
  MEMD_TRY_ASSIGN(const auto rows, reader.ask(ExchangesQuery{ids}));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto it = std::find_if(rows.begin(), rows.end(), [&](const ExchangeRow& r) { return r.id == ids[i]; });
    if (it == rows.end()) {
      out.missing.push_back(params.ids[i]);
      continue;
    }
    MEMD_TRY(add_with_neighbours(reader, *it, params.around, out));
  }
  if (out.rows.empty())
    return Error(Errc::not_found, "ids: there is no exchange " + out.missing.front() +
                                      ", take ids from semantic_search, topic_search or recent_turns");
  return out;
}

Result<Selection> select_by_number(const ToolServices& services, Reader& reader, const GetExchangeParams& params) {
  MEMD_TRY_ASSIGN(const SessionRow session, find_session(services, reader, *params.session_id));
  MEMD_TRY_ASSIGN(const auto rows,
                  reader.ask(ExchangeRangeQuery{session.pk, *params.exchange_number, *params.exchange_number}));
  if (rows.empty())
    return Error(Errc::not_found, "exchange_number: " + session.uid + " has exchanges 0 to " +
                                      std::to_string(std::max<std::int64_t>(session.exchanges - 1, 0)) +
                                      ", send one of these");
  Selection out;
  MEMD_TRY(add_with_neighbours(reader, rows.front(), params.around, out));
  return out;
}

Result<Selection> select(const ToolServices& services, Reader& reader, const GetExchangeParams& params) {
  const bool by_number = params.session_id && !params.session_id->empty() && params.exchange_number;
  if (params.ids.empty() == !by_number)
    return Error(Errc::invalid_argument,
                 "ids: send either ids (like [\"x42\"]) or session_id together with exchange_number");
  return by_number ? select_by_number(services, reader, params) : select_by_ids(reader, params);
}

std::uint64_t question_of(const GetExchangeParams& params) {
  std::string ids;
  for (const std::string& id : params.ids)
    (ids += id) += ',';
  return question_key({"get_exchange", ids, params.session_id.value_or(""),
                       std::to_string(params.exchange_number.value_or(-1)), std::to_string(params.around),
                       params.include_tools ? "1" : "0", params.include_raw ? "1" : "0"});
}

Result<GetExchangeAnswer> run(const ToolServices& services, const GetExchangeParams& params,
                              mcp::ToolContext& context) {
  const auto question = question_of(params);
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, question));
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  MEMD_TRY_ASSIGN(Selection selection, select(services, *reader, params));

  ScopeParams platforms;
  for (const ExchangeRow& row : selection.rows) {
    const std::string key(to_string(row.platform));
    if (std::find(platforms.platforms.begin(), platforms.platforms.end(), key) == platforms.platforms.end())
      platforms.platforms.push_back(key);
  }
  MEMD_TRY_ASSIGN(const Scope scope, resolve_scope(services, platforms, {Capability::exchange_retrieval, {}}));
  std::erase_if(selection.rows, [&](const ExchangeRow& row) { return !scope.includes(row.platform); });
  const Answer frame = answer_for(scope);
  ExchangePager pager(services, *reader, selection.rows, {params.include_tools, params.include_raw});
  MEMD_TRY(pager.load(at));
  return fit_answer<GetExchangeAnswer>(token_limit(services, params), frame, [&](std::size_t tokens) {
    GetExchangeAnswer out;
    static_cast<Answer&>(out) = frame;
    auto page = pager.make(at, tokens);
    out.exchanges = std::move(page.exchanges);
    if (!selection.missing.empty()) out.missing = selection.missing;
    if (page.next) out.next = encode_cursor(*page.next, question);
    if (page.texts_shortened)
      out.notice += params.include_raw ? " Tool texts that end in … go on in source_path, from raw_offset on."
                                       : " Tool texts that end in … come whole with include_raw=true.";
    return out;
  });
}

void append_line(std::string& out, std::string_view name, const std::optional<std::string>& value) {
  if (value && !value->empty()) out += "  " + std::string(name) + " " + ascii::one_line(*value);
}

void append_list(std::string& out, std::string_view name, const std::optional<std::vector<std::string>>& list) {
  if (!list) return;
  out += std::string(name) + ":";
  for (const std::string& item : *list)
    out += "\n- " + ascii::one_line(item);
  out += "\n";
}

}  // namespace

std::string render_text(const GetExchangeAnswer& a) {
  std::string body;
  for (const ExchangeOut& e : a.exchanges) {
    body += e.exchange_id + "  #" + std::to_string(e.exchange_number) + " of " + e.session_id + "  " +
            short_time(e.timestamp) + "  data " + e.data_completeness;
    if (e.session_name) body += "  \"" + *e.session_name + "\"";
    append_line(body, "branch", e.git_branch);
    append_line(body, "in", e.working_directory);
    append_line(body, "model", e.model_used);
    if (e.tokens_output)
      body += "  tokens " + std::to_string(e.tokens_input.value_or(0)) + "/" + std::to_string(*e.tokens_output) +
              "  tools " + std::to_string(e.tool_calls.value_or(0)) + " (" + std::to_string(e.tool_errors.value_or(0)) +
              " failed)  lines +" + std::to_string(e.lines_added.value_or(0)) + " -" +
              std::to_string(e.lines_removed.value_or(0));
    append_line(body, "source", e.source_path);
    append_line(body, "format", e.raw_format_version);
    append_line(body, "adapter", e.adapter_version);
    if (e.origin) body += "  " + *e.origin;
    if (e.ingestion_timestamp) body += "  taken in " + short_time(*e.ingestion_timestamp);
    body += "  ~" + std::to_string(e.full_tokens) + " tokens\n";
    if (e.user_message) body += "User:\n" + *e.user_message + "\n";
    if (e.interventions) body += "User, meanwhile:\n" + *e.interventions + "\n";
    if (e.assistant_response) body += "Assistant:\n" + *e.assistant_response + "\n";
    append_list(body, "Files", e.files_referenced);
    append_list(body, "Decisions", e.decisions_made);
    if (e.events)
      for (const EventOut& v : *e.events) {
        body += "[" + std::to_string(v.seq) + "] " + short_time(v.time) + " " + v.kind + (v.tool ? " " + *v.tool : "") +
                (v.is_error ? " (failed)" : "") + ": " + v.summary;
        if (v.raw_offset)
          body += "  record at " + std::to_string(*v.raw_offset) + "+" + std::to_string(v.raw_length.value_or(0));
        body += "\n";
        if (v.text) body += *v.text + "\n";
      }
    if (!e.complete)
      body += "(" + e.exchange_id + " goes on; all of its texts: ~" + std::to_string(e.full_tokens) + " tokens)\n";
    body += "\n";
  }
  std::string out = history_block(body);
  if (a.missing) {
    out += "No such exchange:";
    for (const std::string& id : *a.missing)
      out += " " + id;
    out += "\n";
  }
  return out + answer_footer(a);
}

void add_get_exchange(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "get_exchange";
  info.title = "Full text of exchanges";
  info.description =
      "The full text of exchanges found with the other tools, by id (x42), with what stands around them. Raise "
      "max_tokens (to 8000) or follow `next` when an exchange is long; include_tools shows what the agent ran.";
  registry.add<GetExchangeParams, GetExchangeAnswer>(
      std::move(info), [services](const GetExchangeParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
