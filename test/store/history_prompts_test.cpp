#include "schemas/project_identity.hpp"
#include "store/write/project_rows.hpp"
#include "store/write/writer.hpp"
#include "test/support/event_script.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

// Prompts that are both in a prompt history and in a transcript, read in either order.
namespace memd {
namespace {

using test::EventScript;

constexpr TimeMs kStart = 1'770'000'000'000;  // first event of EventScript; one event per second
constexpr std::string_view kSession = "claude_code:s1";

class Store {
 public:
  Store() { reopen(); }

  void reopen() {
    writer_.reset();
    auto writer = Writer::open(dir_ / "memd.db", clock_);
    EXPECT_TRUE(writer);
    writer_ = std::move(*writer);
  }
  void apply(EventBatch batch, const std::string& path) {
    SourceSlice slice;
    slice.source.platform = Platform::claude_code;
    slice.source.path = path;
    slice.batch = std::move(batch);
    slice.adapter_version = "1";
    EXPECT_TRUE(writer_->apply(slice));
  }
  void commit() { EXPECT_TRUE(writer_->commit()); }

  void transcript(const EventScript& script) { apply(script.batch(), "/h/t.jsonl"), commit(); }
  void history(const EventBatch& batch) { apply(batch, "/h/history.jsonl"), commit(); }

  void merge(std::string_view project, std::string_view into) {
    Result<void> merged;
    EXPECT_TRUE(writer_->transact([&](sqlite::Database& db) {
      merged = projects::merge(db, project_identity(project).key, project_identity(into).key);
    }));
    EXPECT_TRUE(merged);
  }

  std::vector<std::string> dump() {
    auto db = sqlite::Database::open(dir_ / "memd.db", sqlite::OpenMode::read_write);
    EXPECT_NO_THROW(test::check_full_text_index(db));
    return test::dump_store(db);
  }
  std::string text(const std::string& sql) {
    auto db = sqlite::Database::open(dir_ / "memd.db", sqlite::OpenMode::read_only);
    sqlite::Statement q(db.handle(), sql);
    return q.step() ? (q.is_null(0) ? "NULL" : q.str(0)) : "(no row)";
  }
  std::int64_t number(const std::string& sql) { return std::stoll(text(sql)); }

 private:
  test::TempDir dir_;
  test::FakeClock clock_;
  std::unique_ptr<Writer> writer_;
};

struct Typed {
  std::string text;
  TimeMs time = 0;
};

EventBatch history_of(const std::vector<Typed>& lines, std::string_view session = kSession) {
  EventBatch batch;
  for (const auto& [words, time] : lines) {
    Event& e = batch.events.emplace_back();
    e.session_uid = session;
    e.event_id = record_key(Platform::claude_code, "history/" + std::to_string(time) + words);
    e.time = time;
    e.kind = EventKind::user_msg;
    e.role = Role::user;
    e.origin = Origin::history;
    e.text = words;
    e.cwd = "/w/p";
    e.starts_exchange = true;
    e.raw = {static_cast<std::uint64_t>(time - kStart + 100'000), 90, 0};
  }
  return batch;
}

EventScript three_turns() {
  EventScript s;
  s.user("first question").answer("one", 7, {1, 2, 3, 4});
  s.user("continue").call("c1", "Bash", "ls").result("c1", "ok").answer("two");
  s.user("continue").answer("three");
  return s;
}

// Returns the prompts as typed, each a moment before the record of the transcript.
std::vector<Typed> typed_lines() {
  return {{"first question", kStart - 40},  {"/model opus", kStart + 1000},
          {"continue", kStart + 1900},      {"continue", kStart + 5900},
          {"continue", kStart + 3'600'000}, {"and after that nobody answered", kStart + 3'700'000}};
}

TEST(HistoryPrompts, BothOrdersGiveTheSameRows) {
  Store transcript_first;
  transcript_first.transcript(three_turns());
  transcript_first.history(history_of(typed_lines()));
  Store history_first;
  history_first.history(history_of(typed_lines()));
  history_first.transcript(three_turns());
  EXPECT_EQ(transcript_first.dump(), history_first.dump());

  // Only the history has the two prompts after the transcript's end.
  EXPECT_EQ(history_first.number("SELECT count(*) FROM exchanges"), 5);
  EXPECT_EQ(history_first.number("SELECT turns FROM sessions"), 5);
  EXPECT_EQ(history_first.number("SELECT count(*) FROM exchanges WHERE origin = 9"), 2);
  EXPECT_EQ(history_first.text("SELECT user_message FROM exchanges WHERE exchange_number = 4"),
            "and after that nobody answered");
  EXPECT_EQ(history_first.number("SELECT count(*) FROM exchanges WHERE user_message = 'first question'"), 1);
}

TEST(HistoryPrompts, TheSameWordsInAnotherProjectAreAnotherPrompt) {
  EventBatch typed =
      history_of({{"first question", kStart - 40}, {"continue", kStart + 1900}}, "claude_code:history-q");
  typed.events[0].cwd = typed.events[1].cwd = "/w/q";
  Store transcript_first;
  transcript_first.transcript(three_turns());
  transcript_first.history(typed);
  Store history_first;
  history_first.history(typed);
  history_first.transcript(three_turns());
  for (Store* store : {&transcript_first, &history_first}) {
    EXPECT_EQ(store->number("SELECT count(*) FROM exchanges WHERE origin = 9"), 2);
    EXPECT_EQ(store->number("SELECT count(*) FROM exchanges WHERE user_message = 'first question'"), 2);
  }
  typed.events[0].cwd = typed.events[1].cwd = "/w/p";
  Store same;
  same.history(typed);
  same.transcript(three_turns());
  EXPECT_EQ(same.number("SELECT count(*) FROM exchanges WHERE origin = 9"), 0);
  EXPECT_EQ(same.number("SELECT count(*) FROM sessions"), 1);
}

TEST(HistoryPrompts, APromptOfAJoinedProjectIsThatOfItsTranscript) {
  EventBatch typed = history_of({{"first question", kStart - 40}}, "claude_code:history-q");
  typed.events[0].cwd = "/w/p";
  EventBatch elsewhere = history_of({{"something else", kStart - 90'000}}, "claude_code:history-r");
  elsewhere.events[0].cwd = "/w/r";
  Store store;
  store.history(typed);
  store.history(elsewhere);
  store.merge("/w/p", "/w/r");
  store.transcript(three_turns());
  EXPECT_EQ(store.number("SELECT count(*) FROM exchanges WHERE user_message = 'first question'"), 1);
}

TEST(HistoryPrompts, EventByEventWithRestartsGivesTheSameRows) {
  Store whole;
  whole.transcript(three_turns());
  whole.history(history_of(typed_lines()));
  const auto want = whole.dump();

  for (const bool history_first : {true, false}) {
    Store pieces;
    const auto all = history_of(typed_lines());
    const auto add_history = [&] {
      for (const Event& e : all.events) {
        EventBatch one;
        one.events.push_back(e);
        pieces.history(one);
        pieces.reopen();
      }
    };
    if (history_first) add_history();
    const EventScript script = three_turns();
    for (const Event& e : script.events()) {
      EventBatch one;
      one.events.push_back(e);
      pieces.apply(one, "/h/t.jsonl");
      pieces.commit();
      pieces.reopen();
    }
    if (!history_first) add_history();
    EXPECT_EQ(pieces.dump(), want) << history_first;
  }
}

// Both files grow while the user works: each prompt is in the history a moment before it is in the transcript.
TEST(HistoryPrompts, LiveLinesTakeTurns) {
  Store store;
  const EventScript script = three_turns();
  const auto lines = history_of(typed_lines());
  std::size_t line = 0;
  std::string first_id;
  for (const Event& e : script.events()) {
    while (line < lines.events.size() && lines.events[line].time <= e.time) {
      EventBatch one;
      one.events.push_back(lines.events[line++]);
      store.history(one);
      if (first_id.empty()) first_id = store.text("SELECT exchange_pk FROM exchanges");
    }
    EventBatch one;
    one.events.push_back(e);
    store.apply(one, "/h/t.jsonl");
    store.commit();
  }
  EXPECT_EQ(store.number("SELECT count(*) FROM exchanges"), 3);
  EXPECT_EQ(store.number("SELECT turns FROM sessions"), 3);
  EXPECT_EQ(store.number("SELECT count(*) FROM events WHERE origin = 9"), 0);
  // A client may already have received the id of the exchange before its answer was stored.
  EXPECT_EQ(store.text("SELECT exchange_pk FROM exchanges WHERE exchange_number = 0"), first_id);
}

TEST(HistoryPrompts, ATranscriptNeverSeenLeavesItsPrompts) {
  Store store;
  store.history(history_of({{"one", kStart}, {"three", kStart + 9000}}));
  store.reopen();
  store.history(history_of({{"two", kStart + 5000}}));
  EXPECT_EQ(store.text("SELECT group_concat(user_message, ',') FROM (SELECT user_message FROM exchanges"
                       " ORDER BY exchange_number)"),
            "one,two,three");
  EXPECT_EQ(store.text("SELECT turns || ' ' || cwd || ' ' || (ended_at - started_at) FROM sessions"), "3 /w/p 9000");
  EXPECT_EQ(store.text("SELECT p.name FROM sessions JOIN projects p USING (project_pk)"), "p");
  EXPECT_EQ(store.number("SELECT count(*) FROM exchanges_fts WHERE exchanges_fts MATCH 'three'"), 1);
  // The history is read again from the start: it was trimmed, or the cursor was lost.
  store.history(history_of({{"one", kStart}, {"two", kStart + 5000}, {"three", kStart + 9000}}));
  EXPECT_EQ(store.number("SELECT count(*) FROM exchanges"), 3);
  EXPECT_EQ(store.number("SELECT count(*) FROM events"), 3);
}

// The transcript was read and then deleted by the agent; the history still exists.
TEST(HistoryPrompts, WhatWasReadBeforeItWasDeletedStays) {
  Store store;
  store.transcript(three_turns());
  const auto before = store.dump();
  store.reopen();
  auto lines = typed_lines();
  lines.resize(4);
  store.history(history_of(lines));
  auto after = store.dump();
  std::erase_if(after, [](const std::string& row) { return row.starts_with("source|/h/history.jsonl"); });
  EXPECT_EQ(after, before);
}

// Lines without a session, or with another session than the transcript's file.
TEST(HistoryPrompts, PromptsFiledElsewhereAreFoundByWordsAndTime) {
  const std::string elsewhere = "claude_code:history-0011223344556677-2026-02-02";
  const std::vector<Typed> lines{{"first question", kStart - 40}, {"a question of another day", kStart - 86'400'000}};
  for (const bool history_first : {true, false}) {
    Store store;
    if (history_first) store.history(history_of(lines, elsewhere));
    store.transcript(three_turns());
    if (!history_first) store.history(history_of(lines, elsewhere));
    EXPECT_EQ(store.number("SELECT count(*) FROM exchanges WHERE user_message = 'first question'"), 1);
    EXPECT_EQ(store.number("SELECT count(*) FROM exchanges WHERE origin = 9"), 1);
    EXPECT_EQ(store.text("SELECT turns FROM sessions WHERE uid = '" + elsewhere + "'"), "1");
  }
}

TEST(HistoryPrompts, ASessionWithNothingLeftGoes) {
  const std::string elsewhere = "claude_code:s2";
  for (const bool history_first : {true, false}) {
    Store store;
    if (history_first) store.history(history_of({{"first question", kStart - 40}}, elsewhere));
    store.transcript(three_turns());
    if (!history_first) store.history(history_of({{"first question", kStart - 40}}, elsewhere));
    EXPECT_EQ(store.text("SELECT group_concat(uid) FROM sessions"), kSession) << history_first;
    EXPECT_EQ(store.number("SELECT count(*) FROM events WHERE origin = 9"), 0);
  }
}

}  // namespace
}  // namespace memd
