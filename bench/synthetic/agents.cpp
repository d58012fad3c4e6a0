#include "bench/synthetic/agents.hpp"

#include "bench/synthetic/sessions.hpp"

#include <sqlite3.h>

#include <cstdio>
#include <ctime>
#include <stdexcept>

namespace memd::bench {
namespace fs = std::filesystem;

Turn make_turn(Prose& prose, std::int64_t time, std::size_t weight) {
  Turn turn;
  turn.time = time;
  turn.prompt = prose.paragraph(1 + prose.below(3));
  for (std::size_t i = 0, n = 1 + prose.below(4); i < n; ++i)
    turn.calls.push_back({prose.command(), prose.output(2 + prose.below(6) * weight)});
  turn.answer = prose.paragraph(2 + prose.below(5));
  return turn;
}

std::string rfc3339(std::int64_t time_ms) {
  const std::time_t seconds = static_cast<std::time_t>(time_ms / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[96];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1,
                parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, static_cast<int>(time_ms % 1000));
  return text;
}

SyntheticHome::SyntheticHome(fs::path home, std::uint64_t seed) : home_(std::move(home)), prose_(seed) {}

SyntheticHome::~SyntheticHome() {
  for (const auto& [path, db] : databases_)
    ::sqlite3_close(db);
}

sqlite3* SyntheticHome::database(const fs::path& file, const char* schema) {
  for (const auto& [path, db] : databases_)
    if (path == file) return db;
  fs::create_directories(file.parent_path());
  sqlite3* db = nullptr;
  if (::sqlite3_open(file.c_str(), &db) != SQLITE_OK) throw std::runtime_error("cannot open " + file.string());
  databases_.emplace_back(file, db);
  execute(db, "PRAGMA journal_mode = WAL", {});
  if (::sqlite3_exec(db, schema, nullptr, nullptr, nullptr) != SQLITE_OK)
    throw std::runtime_error(std::string("schema: ") + ::sqlite3_errmsg(db));
  if (bulk_) execute(db, "BEGIN", {});
  return db;
}

// Executes without a busy timeout, so that a reader that blocks a writer is counted.
void SyntheticHome::execute(sqlite3* db, const char* sql, const std::vector<std::string>& values) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    sqlite3_stmt* statement = nullptr;
    if (::sqlite3_prepare_v2(db, sql, -1, &statement, nullptr) != SQLITE_OK)
      throw std::runtime_error(std::string("prepare: ") + ::sqlite3_errmsg(db));
    for (std::size_t i = 0; i < values.size(); ++i)
      ::sqlite3_bind_text(statement, static_cast<int>(i) + 1, values[i].data(), static_cast<int>(values[i].size()),
                          SQLITE_STATIC);
    int rc = SQLITE_ROW;
    while (rc == SQLITE_ROW)
      rc = ::sqlite3_step(statement);
    ::sqlite3_finalize(statement);
    if (rc == SQLITE_DONE) return;
    if (rc != SQLITE_BUSY && rc != SQLITE_LOCKED)
      throw std::runtime_error(std::string("step: ") + ::sqlite3_errmsg(db));
    ++busy_errors_;
  }
  throw std::runtime_error("the database stayed locked");
}

void SyntheticHome::begin_bulk() {
  bulk_ = true;
  for (const auto& [path, db] : databases_)
    execute(db, "BEGIN", {});
}

void SyntheticHome::end_bulk() {
  if (!bulk_) return;
  bulk_ = false;
  for (const auto& [path, db] : databases_) {
    execute(db, "COMMIT", {});
    execute(db, "PRAGMA wal_checkpoint(TRUNCATE)", {});
  }
}

std::uint64_t SyntheticHome::bytes() const {
  std::uint64_t total = 0;
  for (const auto& entry : fs::recursive_directory_iterator(home_))
    if (entry.is_regular_file()) total += entry.file_size();
  return total;
}

std::unique_ptr<SyntheticSession> SyntheticHome::start(std::string_view agent, std::int64_t time) {
  const std::string id = prose_.uuid();
  if (agent == "claude_code") return std::make_unique<ClaudeCodeSession>(home_, prose_, id);
  if (agent == "codex") return std::make_unique<CodexSession>(home_, prose_, id, time);
  if (agent == "cline") return std::make_unique<ClineSession>(home_, time);
  if (agent == "gemini") return std::make_unique<GeminiSession>(home_, prose_, id, time);
  if (agent == "cursor") return std::make_unique<CursorSession>(*this, id, time);
  if (agent == "opencode") return std::make_unique<OpencodeSession>(*this, id, time);
  throw std::runtime_error("no such agent: " + std::string(agent));
}

}  // namespace memd::bench
