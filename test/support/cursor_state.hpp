#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace memd::test {

// A global state.vscdb of any size, as Cursor writes it: conversations with bubbles of realistic size, blobs of the
// agent's back end and checkpoints of the editor. The contents depend on the numbers alone, so two databases of the
// same size are equal.
class CursorState {
 public:
  static constexpr int kBubbles = 200;        // per conversation
  static constexpr std::size_t kBulk = 9000;  // bytes of a bubble that memd does not read

  // Opens the database for writing, in WAL mode as Cursor does. Creates it if it does not exist.
  explicit CursorState(const std::filesystem::path& file) {
    std::filesystem::create_directories(file.parent_path());
    check(sqlite3_open(file.c_str(), &database_));
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "CREATE TABLE IF NOT EXISTS ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);"
        "CREATE TABLE IF NOT EXISTS cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)");
    check(sqlite3_prepare_v2(database_, "INSERT INTO cursorDiskKV (key, value) VALUES (?1, ?2)", -1, &put_, nullptr));
  }
  ~CursorState() {
    sqlite3_finalize(put_);
    sqlite3_close_v2(database_);
  }
  CursorState(const CursorState&) = delete;
  CursorState& operator=(const CursorState&) = delete;

  // Adds conversations until the values reach `bytes`. Returns the number of conversations.
  int fill(std::uint64_t bytes) {
    run("PRAGMA synchronous = OFF");
    int conversation = 0;
    while (written_ < bytes) {
      run("BEGIN");
      for (int i = 0; i < kBubbles; ++i)
        put_bubble(conversation, i);
      put_composer(conversation, kBubbles);
      run("COMMIT");
      ++conversation;
    }
    run("PRAGMA synchronous = NORMAL; PRAGMA wal_checkpoint(TRUNCATE)");
    return conversation;
  }

  // Adds a bubble and the header that lists it, as happens while an agent works. Returns its text.
  std::string add_bubble(int conversation, int number) {
    run("BEGIN");
    auto text = put_bubble(conversation, number);
    put_composer(conversation, number + 1);
    run("COMMIT");
    return text;
  }

  static std::string composer_id(int conversation) { return uuid(0xc0, conversation); }
  static std::string bubble_id(int conversation, int number) { return uuid(0xb0, conversation * 100'000 + number); }

  void put(std::string_view key, std::string_view value) {
    sqlite3_bind_text(put_, 1, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
    sqlite3_bind_text(put_, 2, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    const int code = sqlite3_step(put_);
    sqlite3_reset(put_);
    if (code != SQLITE_DONE) check(code);
    written_ += value.size();
  }
  void run(const std::string& sql) { check(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr)); }
  sqlite3* handle() const { return database_; }

 private:
  static std::string uuid(int kind, int number) {
    char text[40];
    std::snprintf(text, sizeof text, "%08x-0000-4000-8000-%012x", kind, number);
    return text;
  }
  static std::int64_t time_of(int conversation, int number) {
    return 1'760'000'000'000 + conversation * 3'600'000LL + number * 1000LL;
  }

  std::string put_bubble(int conversation, int number) {
    const std::string id = bubble_id(conversation, number);
    const bool user = number % 10 == 0;
    const std::string text = "word" + std::to_string(conversation) + "x" + std::to_string(number) + " of the talk";
    const std::string bulk(kBulk, static_cast<char>('a' + number % 26));
    std::string value = R"({"_v":3,"type":)" + std::to_string(user ? 1 : 2) + R"(,"bubbleId":")" + id +
                        R"(","text":")" + (number % 10 == 5 ? std::string() : text) + R"(","createdAt":)" +
                        std::to_string(time_of(conversation, number)) + R"(,"context":{"notes":")" + bulk + "\"}";
    if (number % 10 == 5)
      value += R"(,"toolFormerData":{"name":"read_file_v2","toolCallId":"call-)" + id +
               R"(","status":"completed","rawArgs":"{\"target_file\":\"src/a.ts\"}","result":"{\"contents\":\")" +
               text + R"(\"}"})";
    put("bubbleId:" + composer_id(conversation) + ":" + id, value + "}");
    if (number % 2 == 0) put("agentKv:blob:" + id, R"({"role":"assistant","content":")" + bulk + "\"}");
    if (user) put("checkpointId:" + composer_id(conversation) + ":" + id, "{\"files\":[]}");
    return text;
  }

  void put_composer(int conversation, int bubbles) {
    std::string value = R"({"_v":10,"composerId":")" + composer_id(conversation) + R"(","name":"Talk )" +
                        std::to_string(conversation) + R"(","status":"completed","createdAt":)" +
                        std::to_string(time_of(conversation, 0)) + R"(,"unifiedMode":"agent",)" +
                        R"("fullConversationHeadersOnly":[)";
    for (int i = 0; i < bubbles; ++i)
      value += (i > 0 ? "," : "") + std::string(R"({"bubbleId":")") + bubble_id(conversation, i) + R"(","type":)" +
               (i % 10 == 0 ? "1}" : "2}");
    put("composerData:" + composer_id(conversation), value + "]}");
  }

  void check(int code) const {
    if (code != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(database_));
  }
  sqlite3* database_ = nullptr;
  sqlite3_stmt* put_ = nullptr;
  std::uint64_t written_ = 0;
};

}  // namespace memd::test
