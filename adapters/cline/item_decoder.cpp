// Calls and results as events, the head item, and the dispatch of all items.
#include "adapters/cline/item_decoder.hpp"

#include "adapters/cline/model_text.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/ids.hpp"

#include <charconv>
#include <optional>
#include <utility>

namespace memd::cline {

// Calls and results.

namespace {

enum : std::size_t { kText, kBlockKeys };
constexpr KeyTable<kBlockKeys> kBlockTable{{"text"}};

void make_absolute(Event& call) {
  for (FileTouch& file : call.files)
    file.path = absolute_path(call.cwd, file.path);
}

}  // namespace

std::string absolute_path(std::string_view cwd, std::string_view path) {
  const bool absolute =
      path.starts_with('/') || path.starts_with('~') || path.starts_with('\\') || (path.size() > 1 && path[1] == ':');
  if (absolute || cwd.empty() || path.empty()) return std::string(path);
  std::string out(cwd);
  if (out.back() != '/' && out.back() != '\\') out.push_back('/');
  while (path.starts_with("./"))
    path.remove_prefix(2);
  return out.append(path);
}

bool read_block_input(ItemContext& c, od::object& block, Event& call) {
  od::value input;
  if (seek(block, "input", input) && !tool_calls::read_tool_input(c, input, access_of, call)) return false;
  make_absolute(call);
  return true;
}

void read_text_input(ItemContext& c, std::string_view input, Event& call) {
  tool_calls::read_tool_input_text(c, input, access_of, call);
  make_absolute(call);
}

void emit_result(ItemContext& c, const ToolCall& call, std::string_view text, bool is_error) {
  Event& e = c.add(EventKind::tool_result, Role::tool);
  e.tool = call.tool;
  e.call_id = call.id;
  e.is_error = is_error;
  e.facts.exit_code = exit_code_in(text);
  tool_calls::take_result_text(c.detail(), std::string(text), e);
  if (!is_error && !call.path.empty())
    e.files.push_back({absolute_path(e.cwd, call.path), FileAccess::modified, call.lines_added, call.lines_removed});
}

ToolOutput read_output(ItemContext& c, od::object& block, std::string_view key) {
  od::value content;
  od::array list;
  od::object object;
  std::string_view json;
  if (!seek(block, key, content)) return {};
  const auto token = token_of(content);
  if (is_string(token)) return read_tool_text(c.text(token));
  if ((token.starts_with('[') && !content.get_array().get(list) && !list.raw_json().get(json)) ||
      (token.starts_with('{') && !content.get_object().get(object) && !object.raw_json().get(json))) {
    ToolOutput output = read_tool_output(json);
    if (output.replaced) c.diagnose(DiagnosticType::invalid_encoding);
    return output;
  }
  return {};
}

void emit_output(ItemContext& c, const ToolCall& call, const ToolOutput& output, bool is_error) {
  emit_result(c, call, output.text, is_error || output.failed || (!output.succeeded && tells_failure(output.text)));
  Event& e = c.out().events.back();
  e.summary = output.marker;
  if (output.exit_code) e.facts.exit_code = output.exit_code;
  if (output.succeeded && !e.is_error && tool_calls::runs_commands(call.tool)) e.facts.exit_code = 0;
}

bool read_content(ItemContext& c, od::value& content, std::string& text) {
  const auto token = token_of(content);
  if (is_string(token)) {
    c.append_text(token, text);
    return true;
  }
  od::array blocks;
  if (content.get_array().get(blocks)) return true;
  return for_each_element(blocks, [&](od::value& value, std::size_t) {
    od::object block;
    Tokens<kBlockKeys> tokens;
    if (value.get_object().get(block)) return true;
    if (!collect(block, kBlockTable, tokens)) return false;
    if (!is_string(tokens[kText])) return true;
    if (!text.empty()) text.push_back('\n');
    c.append_text(tokens[kText], text);
    return true;
  });
}

// The head.

namespace {

enum : std::size_t {
  kId,
  kCwd,
  kModel,
  kTitle,
  kParent,
  kMode,
  kCost,
  kKind,
  kAgent,
  kForkedFrom,
  kStarted,
  kEnded,
  kDescription,
  kNamed,
  kBranch,
  kVersion,
  kHeadKeys
};
constexpr KeyTable<kHeadKeys> kHeadTable{{"id", "cwd", "model", "title", "parent", "mode", "cost", "kind", "agent",
                                          "forked_from", "started", "ended", "description", "named", "branch",
                                          "version"}};

std::optional<double> fraction(std::string_view token) {
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  return error == std::errc() && end != token.data() ? std::optional(value) : std::nullopt;
}

}  // namespace

RecordOutcome read_head(ItemContext& c, od::object& item) {
  Tokens<kHeadKeys> tokens;
  if (!collect(item, kHeadTable, tokens)) return RecordOutcome::damaged();
  const auto uid = [&](std::size_t i) {
    const std::string id = c.text(tokens[i]);
    return id.empty() ? std::string() : make_session_uid(Platform::cline, id);
  };
  SessionUpdate update;
  update.session_uid = c.session_uid();
  update.platform = Platform::cline;
  update.native_id = c.text(tokens[kId]);
  update.parent_uid = uid(kParent);
  if (!update.parent_uid.empty()) update.kind = SessionKind::subagent;
  update.agent_name = c.text(tokens[kAgent]);
  update.description = c.text(tokens[kDescription]);
  update.title = c.text(tokens[kTitle]);
  // The task lists contain the first words of each task; the newer store gives sessions names.
  if (!update.title.empty()) update.title_rank = is_true(tokens[kNamed]) ? TitleRank::ai : TitleRank::summary;
  update.cwd = c.text(tokens[kCwd]);
  update.git_branch = c.text(tokens[kBranch]);
  update.agent_version = c.text(tokens[kVersion]);
  update.model = c.text(tokens[kModel]);
  update.mode = c.text(tokens[kMode]);
  update.forked_from = uid(kForkedFrom);
  update.started_at = integer(tokens[kStarted]);
  update.ended_at = update.stopped_at = integer(tokens[kEnded]);
  update.time = update.ended_at != 0 ? update.ended_at : update.started_at;
  update.cost_usd = fraction(tokens[kCost]);
  c.out().sessions.push_back(std::move(update));
  return RecordOutcome::indexed();
}

// All items.

namespace {

static_assert(simdjson::SIMDJSON_PADDING <= kRecordPadding);

constexpr KeyTable<kItemNames.size()> kItemTable{kItemNames};

enum : std::size_t { kItemDecoderId, kTool, kPath, kAdded, kRemoved, kCallKeys };
constexpr KeyTable<kCallKeys> kCallTable{{"id", "tool", "path", "added", "removed"}};

bool read_calls(ItemContext& c, od::object& item, std::vector<ToolCall>& out) {
  od::value value;
  od::array calls;
  if (!seek(item, "calls", value) || value.get_array().get(calls)) return true;
  return for_each_element(calls, [&](od::value& element, std::size_t) {
    od::object call;
    Tokens<kCallKeys> tokens;
    if (element.get_object().get(call)) return true;
    if (!collect(call, kCallTable, tokens)) return false;
    out.push_back({c.text(tokens[kItemDecoderId]), c.text(tokens[kTool]), c.text(tokens[kPath]),
                   static_cast<std::int32_t>(integer(tokens[kAdded])),
                   static_cast<std::int32_t>(integer(tokens[kRemoved]))});
    return true;
  });
}

}  // namespace

bool InnerJson::open(std::string_view text) {
  padded_ = text;
  padded_.resize(text.size() + kRecordPadding, ' ');
  return trimmed(text).starts_with('{') &&
         !parser_.iterate(padded_.data(), text.size(), padded_.size()).get(document_) &&
         !document_.get_object().get(root);
}

struct ItemDecoder::Parsers {
  od::parser items;
  od::document document;
};

ItemDecoder::ItemDecoder(const Source& source, Detail detail)
    : session_uid_(source.session_uid), detail_(detail), parsers_(std::make_unique<Parsers>()) {
  if (const auto parts = split_session_uid(session_uid_)) native_id_ = parts->native_id;
}

ItemDecoder::~ItemDecoder() = default;

void ItemDecoder::decode(const RawRecord& record, EventBatch& out) {
  const std::uint64_t bytes = record.bytes.size() + (record.newline_follows ? 1 : 0);
  std::string type;
  if (decode_open(record.bytes, record, out, type)) return;
  bool replaced = false;
  std::string cleaned = cleaned_json(record.bytes, replaced);
  const auto size = cleaned.size();
  cleaned.resize(size + kRecordPadding, ' ');
  if (decode_open({cleaned.data(), size}, record, out, type)) {
    if (replaced)
      out.diagnostics.push_back(
          {Platform::cline, DiagnosticType::invalid_encoding, Severity::warning, {}, 0, record.offset});
    return;
  }
  if (bytes > 0) out.cover("(damaged)", Disposition::skipped, "damaged", bytes);
  out.diagnostics.push_back({Platform::cline, DiagnosticType::damaged_record, Severity::warning, {}, 0, record.offset});
}

bool ItemDecoder::decode_open(std::string_view bytes, const RawRecord& record, EventBatch& out, std::string& type) {
  auto& document = parsers_->document;
  od::object item;
  ItemFields fields;
  if (parsers_->items.iterate(bytes.data(), bytes.size(), bytes.size() + kRecordPadding).get(document) ||
      document.get_object().get(item) || !collect(item, kItemTable, fields.tokens) ||
      document.current_location().error() != simdjson::OUT_OF_BOUNDS)
    return false;
  if (fields.is(ItemKey::damaged)) return false;

  const auto before = out.length();
  const RawRef raw{record.offset, static_cast<std::uint32_t>(record.bytes.size()), 0};
  ItemContext c(Platform::cline, session_uid_, raw, detail_, out);
  fields.key = c.text(fields[ItemKey::key]);
  c.identify(is_string(fields[ItemKey::record]) ? c.text(fields[ItemKey::record]) : native_id_ + "/" + fields.key);
  c.cwd = c.text(fields[ItemKey::cwd]);
  c.time = integer(fields[ItemKey::time]);
  c.time_estimated = fields.is(ItemKey::estimated);

  RecordOutcome verdict = RecordOutcome::unknown("unknown_type");
  type = "(unknown)";
  if (!read_calls(c, item, fields.calls)) {
    verdict = RecordOutcome::damaged();
  } else if (fields.is(ItemKey::head)) {
    type = "(head)";
    verdict = read_head(c, item);
  } else if (!fields[ItemKey::ui].empty()) {
    verdict = read_ui(c, item, fields, type);
  } else if (!fields[ItemKey::compaction].empty()) {
    type = "compaction";
    verdict = read_compaction(c, item);
  } else if (!fields[ItemKey::message].empty()) {
    verdict = read_message(c, item, fields, type);
  }
  if (verdict.broken) {
    out.cut_back(before);
    return false;
  }
  if (c.lossy()) c.diagnose(DiagnosticType::invalid_encoding);
  out.cover(type, verdict.disposition, verdict.reason, record.bytes.size() + (record.newline_follows ? 1 : 0));
  return true;
}

}  // namespace memd::cline
