#include "bench/continuity/transcript.hpp"

#include "adapters/claude_code/record_context.hpp"
#include "schemas/time.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace memd::bench {
namespace fs = std::filesystem;

namespace {

std::string_view text_under(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

bool is_true(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

void collect_strings(const boost::json::value& value, const std::string& name, std::vector<ToolInput>& out) {
  if (value.is_string()) out.push_back({name, std::string(value.get_string())});
  if (value.is_array())
    for (const auto& item : value.get_array())
      collect_strings(item, name, out);
  if (value.is_object())
    for (const auto& member : value.get_object())
      collect_strings(member.value(), name.empty() ? std::string(member.key()) : name, out);
}

void read_block(const boost::json::object& block, TranscriptRecord& record) {
  const std::string_view type = text_under(block, "type");
  if (type == "text") {
    record.texts.emplace_back(text_under(block, "text"));
  } else if (type == "tool_use") {
    ToolUse use{std::string(text_under(block, "name")), {}};
    if (const auto* input = block.if_contains("input")) collect_strings(*input, "", use.inputs);
    record.uses.push_back(std::move(use));
  } else if (type == "tool_result") {
    std::vector<ToolInput> strings;
    if (const auto* content = block.if_contains("content")) collect_strings(*content, "", strings);
    for (ToolInput& s : strings) {
      if (s.name == "type") continue;
      if (is_true(block, "is_error")) record.errors.push_back(s.value);
      record.results.push_back(std::move(s.value));
    }
  }
}

void read_message(const boost::json::object& object, TranscriptRecord& record) {
  const auto* message = object.if_contains("message");
  if (message == nullptr || !message->is_object()) return;
  const auto* content = message->get_object().if_contains("content");
  if (content == nullptr) return;
  if (content->is_string()) record.texts.emplace_back(content->get_string());
  if (content->is_array())
    for (const auto& block : content->get_array())
      if (block.is_object()) read_block(block.get_object(), record);
}

void read_record(std::string_view line, TranscriptRecord& record) {
  boost::system::error_code broken;
  const boost::json::value value = boost::json::parse(line, broken);
  if (broken || !value.is_object()) return;
  const boost::json::object& object = value.get_object();
  record.time = parse_rfc3339(text_under(object, "timestamp")).value_or(0);
  record.sidechain = is_true(object, "isSidechain") || is_true(object, "isMeta");
  record.cwd = text_under(object, "cwd");
  const std::string_view type = text_under(object, "type");
  if (type == "system" && text_under(object, "subtype") == "compact_boundary") record.kind = RecordKind::boundary;
  if (type != "user" && type != "assistant") return;
  read_message(object, record);
  if (is_true(object, "isCompactSummary")) {
    record.kind = RecordKind::compact_summary;
  } else if (type == "assistant") {
    record.kind = RecordKind::assistant;
  } else {
    record.kind = RecordKind::user;
    record.human = !record.sidechain && record.results.empty() && !record.texts.empty() &&
                   claude_code::classify_user_text(record.texts.front()).kind == claude_code::UserTextKind::human;
  }
}

}  // namespace

const std::string* ToolUse::input(std::string_view name) const {
  const auto at = std::find_if(inputs.begin(), inputs.end(), [&](const ToolInput& i) { return i.name == name; });
  return at == inputs.end() ? nullptr : &at->value;
}

Transcript read_transcript(const fs::path& file) {
  Transcript out;
  out.file = file;
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  out.bytes.assign(std::istreambuf_iterator<char>(in), {});
  for (std::size_t begin = 0; begin < out.bytes.size();) {
    const std::size_t line_end = std::min(out.bytes.find('\n', begin), out.bytes.size());
    TranscriptRecord record;
    record.begin = begin;
    record.end = std::min(line_end + 1, out.bytes.size());
    read_record(std::string_view(out.bytes).substr(begin, line_end - begin), record);
    begin = record.end;
    out.records.push_back(std::move(record));
  }
  return out;
}

std::vector<fs::path> main_transcripts(const fs::path& home) {
  std::vector<fs::path> out;
  for (const auto& project : fs::directory_iterator(home / ".claude/projects")) {
    if (!project.is_directory()) continue;
    for (const auto& entry : fs::directory_iterator(project))
      if (entry.path().extension() == ".jsonl") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<fs::path> compacted_transcripts(const fs::path& home) {
  std::vector<fs::path> out = main_transcripts(home);
  std::erase_if(out, [](const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    return bytes.find(R"("compact_boundary")") == std::string::npos;
  });
  return out;
}

namespace {

bool is_talk(const TranscriptRecord& r) {
  return (r.kind == RecordKind::user || r.kind == RecordKind::assistant) && !r.sidechain;
}

constexpr std::size_t kLeastAfterCut = 10;

}  // namespace

std::vector<Compaction> cuts(const Transcript& transcript, std::size_t window) {
  const auto& records = transcript.records;
  std::vector<Compaction> possible;
  std::size_t before = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!is_talk(records[i])) continue;
    ++before;
    if (!records[i].human || before <= window) continue;
    Compaction c;
    c.boundary = i;
    c.resumed = i;
    for (std::size_t k = i; k < records.size() && records[k].kind != RecordKind::boundary; ++k)
      if (is_talk(records[k]) && c.next_used.size() < window) c.next_used.push_back(k);
    if (c.next_used.size() >= kLeastAfterCut) possible.push_back(std::move(c));
  }
  std::vector<Compaction> out;
  if (!possible.empty()) out.push_back(std::move(possible[possible.size() / 2]));
  return out;
}

std::vector<Compaction> compactions(const Transcript& transcript, std::size_t window) {
  std::vector<Compaction> out;
  const auto& records = transcript.records;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].kind != RecordKind::boundary) continue;
    Compaction c;
    c.boundary = i;
    c.resumed = i + 1;
    for (std::size_t k = i + 1; k < records.size() && records[k].kind != RecordKind::boundary; ++k) {
      const TranscriptRecord& r = records[k];
      if (r.kind == RecordKind::compact_summary) {
        c.resumed = k + 1;
        for (const std::string& text : r.texts)
          c.platform_summary += text + "\n";
      } else if (is_talk(r) && c.next_used.size() < window) {
        c.next_used.push_back(k);
      }
    }
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace memd::bench
