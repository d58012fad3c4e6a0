#include "bench/retrieval/known_items.hpp"

#include "schemas/ids.hpp"
#include "store/db/database.hpp"

#include <boost/json.hpp>

#include <fstream>
#include <functional>
#include <stdexcept>
#include <vector>

namespace memd::bench {
namespace fs = std::filesystem;
namespace json = boost::json;
namespace {

using Names = std::map<std::string, std::set<std::string>>;

constexpr const char* kClaudeProjects = ".claude/projects";
constexpr const char* kCodexThreads = ".codex/session_index.jsonl";
constexpr const char* kCursorState = ".config/Cursor/User/globalStorage/state.vscdb";

std::string text_of(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

void each_line(const fs::path& file, const std::function<void(const std::string&)>& take) {
  std::ifstream in(file, std::ios::binary);
  for (std::string line; std::getline(in, line);)
    take(line);
}

std::vector<fs::path> transcripts(const fs::path& home) {
  std::vector<fs::path> out;
  if (!fs::exists(home / kClaudeProjects)) return out;
  for (const auto& entry : fs::recursive_directory_iterator(home / kClaudeProjects))
    if (entry.is_regular_file() && entry.path().extension() == ".jsonl") out.push_back(entry.path());
  return out;
}

bool is_name_record(const std::string& line) {
  if (line.find("\"summary\"") == std::string::npos && line.find("-title\"") == std::string::npos) return false;
  boost::system::error_code broken;
  const json::value record = json::parse(line, broken);
  if (broken || !record.is_object()) return false;
  const std::string type = text_of(record.get_object(), "type");
  return type == "summary" || type == "custom-title" || type == "ai-title";
}

// Two passes: what is pointed at is often in another file.
void add_claude_names(const fs::path& home, Names& names) {
  std::map<std::string, std::set<std::string>> by_leaf;  // record -> names
  const auto files = transcripts(home);
  for (const auto& file : files)
    each_line(file, [&](const std::string& line) {
      if (!is_name_record(line)) return;
      const json::value value = json::parse(line);
      const json::object& record = value.get_object();
      if (text_of(record, "type") == "summary") {
        by_leaf[text_of(record, "leafUuid")].insert(text_of(record, "summary"));
        return;
      }
      const std::string title = text_of(record, text_of(record, "type") == "ai-title" ? "aiTitle" : "customTitle");
      names[title].insert(make_session_uid(Platform::claude_code, text_of(record, "sessionId")));
    });
  if (by_leaf.empty()) return;
  for (const auto& file : files)
    each_line(file, [&](const std::string& line) {
      const auto at = line.find("\"uuid\":\"");
      if (at == std::string::npos) return;
      boost::system::error_code broken;
      const json::value value = json::parse(line, broken);
      if (broken || !value.is_object()) return;
      const auto pointed = by_leaf.find(text_of(value.get_object(), "uuid"));
      if (pointed == by_leaf.end()) return;
      for (const std::string& name : pointed->second)
        names[name].insert(make_session_uid(Platform::claude_code, text_of(value.get_object(), "sessionId")));
    });
}

void add_codex_names(const fs::path& home, Names& names) {
  std::set<std::string> files;
  if (!fs::exists(home / kCodexThreads)) return;
  for (const auto& entry : fs::recursive_directory_iterator(home / ".codex"))
    files.insert(entry.path().filename().string());
  each_line(home / kCodexThreads, [&](const std::string& line) {
    const json::value value = json::parse(line);
    const std::string id = text_of(value.as_object(), "id");
    for (const std::string& file : files)
      if (file.starts_with("rollout-") && file.find(id) != std::string::npos)
        names[text_of(value.as_object(), "thread_name")].insert(make_session_uid(Platform::codex, id));
  });
}

void add_cursor_names(const fs::path& home, Names& names) {
  if (!fs::exists(home / kCursorState)) return;
  auto db = sqlite::Database::open(home / kCursorState, sqlite::OpenMode::read_only);
  auto& q = db.prepare(
      "SELECT substr(key, 14), json_extract(value, '$.name') FROM cursorDiskKV WHERE key LIKE 'composerData:%'"
      " AND json_valid(value) AND json_extract(value, '$.name') IS NOT NULL");
  while (q.step())
    names[q.str(1)].insert(make_session_uid(Platform::cursor, q.text(0)));
  q.reset();
}

}  // namespace

Names session_names(const fs::path& home) {
  Names names;
  add_claude_names(home, names);
  add_codex_names(home, names);
  add_cursor_names(home, names);
  names.erase("");
  names.erase("Sent to Chat");
  std::erase_if(names, [](const auto& item) { return item.first.starts_with("New session"); });
  return names;
}

void remove_session_names(const fs::path& home) {
  for (const auto& file : transcripts(home)) {
    std::string kept;
    bool removed = false;
    each_line(file, [&](const std::string& line) {
      if (is_name_record(line))
        removed = true;
      else
        kept += line + "\n";
    });
    if (!removed) continue;
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << kept;
    if (!out) throw std::runtime_error("cannot write " + file.string());
  }
  fs::remove(home / kCodexThreads);
  if (!fs::exists(home / kCursorState)) return;
  auto db = sqlite::Database::open(home / kCursorState, sqlite::OpenMode::read_write);
  db.exec(
      "UPDATE cursorDiskKV SET value = json_remove(value, '$.name') WHERE key LIKE 'composerData:%' AND"
      " json_valid(value)");
}

}  // namespace memd::bench
