// Checks that a written line conforms to the schema and is decoded to the event it was written from.
#include "adapters/events_v1/line_writer.hpp"
#include "test/adapters/batch_json.hpp"
#include "test/adapters/decode_source.hpp"
#include "test/adapters/events_v1_schema.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

const Adapter& imported() { return *find_adapter(Platform::imported); }

EventBatch read_back(const std::string& line) {
  return test::decode_source(imported(), {Platform::imported, "/x.jsonl", SourceFormat::jsonl}, line).batch;
}

std::string shown(Event e) {
  e.raw = {};
  EventBatch batch;
  batch.events.push_back(std::move(e));
  return test::batch_json(batch);
}

Event full_event(EventKind kind) {
  Event e;
  e.session_uid = "codex:0199-abc";
  e.event_id = 0xfedcba9876543210u + static_cast<std::uint64_t>(kind);
  e.time = 1'772'529'120'123;
  e.kind = kind;
  e.role = Role::system;
  e.text = "zwei Zeilen:\n\t\"quoted\" \\ \x01 \xe6\xb1\xba";
  e.summary = "one line";
  e.tool = "Edit";
  e.call_id = "call_1";
  e.search_text = "src/a.c";
  e.input_hash = 0x8000000000000001u;
  e.is_error = e.is_test = e.is_sidechain = e.time_estimated = e.starts_exchange = true;
  e.files = {{"/src/a.c", FileAccess::modified, 3, 1}, {"/src/b.c", FileAccess::read, 0, 0}, {"/src/a.c"}};
  e.facts.commands = {{"make -j2", "C:\\src", CommandPurpose::build, true, true},
                      {"ctest", "", CommandPurpose::test, false}};
  e.facts.todos = TodoUpdate{kind == EventKind::tool_call,
                             {{"1", "Größe", TodoState::in_progress}, {"2", "", TodoState::unstated}}};
  e.facts.exit_code = kind == EventKind::tool_result ? 0 : -9;
  e.lifecycle = kind == EventKind::lifecycle ? "compaction" : "";
  e.response_key = 0xffffffffffffffffu;
  e.usage = {1, 2, 3, 4};
  e.cwd = "C:\\src";
  e.git_branch = "main";
  e.model = "m";
  e.agent_version = "1.2";
  return e;
}

TEST(EventsWriter, EveryKindWithEveryFieldComesBack) {
  const auto schema = test::events_schema();
  for (int k = 0; k < kEventKindCount; ++k)
    for (int o = 0; o <= static_cast<int>(Origin::history); ++o) {
      Event e = full_event(static_cast<EventKind>(k));
      e.origin = static_cast<Origin>(o);
      if (o > 0) e.parent_id = o == 1 ? 0 : 0xfedc000000000000u;
      const std::string line = events_v1::event_line(e, {});
      EXPECT_EQ(line.find('\n'), std::string::npos);
      EXPECT_EQ(schema.problems(boost::json::parse(line)), "") << line;
      const auto batch = read_back(line);
      ASSERT_EQ(batch.events.size(), 1u) << line;
      EXPECT_EQ(shown(batch.events.front()), shown(e));
      EXPECT_TRUE(batch.diagnostics.empty());
    }
}

TEST(EventsWriter, AnEventWithNothingButItsPlaceComesBack) {
  Event e;
  e.session_uid = "imported:x";
  e.event_id = 1;
  e.kind = EventKind::thinking;
  const auto batch = read_back(events_v1::event_line(e, {}));
  ASSERT_EQ(batch.events.size(), 1u);
  EXPECT_EQ(shown(batch.events.front()), shown(e));
}

TEST(EventsWriter, AnEmptiedListOfTasksComesBack) {
  Event e;
  e.session_uid = "imported:x";
  e.event_id = 1;
  e.kind = EventKind::tool_call;
  e.facts.todos = TodoUpdate{true, {}};
  const std::string line = events_v1::event_line(e, {});
  EXPECT_EQ(test::events_schema().problems(boost::json::parse(line)), "");
  const auto batch = read_back(line);
  ASSERT_EQ(batch.events.size(), 1u);
  EXPECT_EQ(batch.events.front().facts.todos, e.facts.todos);
}

TEST(EventsWriter, WholeTextGoesOutAndTheStoredPartComesBack) {
  const std::string whole = std::string(kResultTextLimit - 1, 'x') + "\xe6\xb1\xba and more";
  struct Case {
    EventKind kind;
    std::string stored;
    bool needs_excerpt;
  };
  const Case cases[] = {{EventKind::tool_result, std::string(kResultTextLimit - 1, 'x'), false},
                        {EventKind::tool_result, "the adapter's own choice", true},
                        {EventKind::tool_result, "", true},
                        {EventKind::tool_call, "", false},
                        {EventKind::assistant_msg, whole, false}};
  for (const auto& c : cases) {
    Event e = full_event(c.kind);
    e.text = c.stored;
    const std::string line = events_v1::event_line(e, {whole, 0, false});
    EXPECT_EQ(line.find("\"excerpt\"") != std::string::npos, c.needs_excerpt);
    const auto batch = read_back(line);
    ASSERT_EQ(batch.events.size(), 1u);
    EXPECT_EQ(batch.events.front().text, c.stored);
    std::string padded = line + std::string(kRecordPadding, ' ');
    EXPECT_EQ(imported().event_text(std::string_view(padded).substr(0, line.size()), c.kind, 0), whole);
  }
}

TEST(EventsWriter, DerivedEventsAreLeftToTheAssembler) {
  const auto batch = read_back(events_v1::event_line(full_event(EventKind::edit), {std::nullopt, 5, false}));
  EXPECT_TRUE(batch.events.empty());
  ASSERT_EQ(batch.coverage.size(), 1u);
  EXPECT_EQ(batch.coverage.front().disposition, Disposition::skipped);
  EXPECT_EQ(batch.coverage.front().reason, "derived");
  EXPECT_EQ(batch.coverage.front().record_type, "patch");
}

TEST(EventsWriter, FactsOfASessionComeBack) {
  SessionUpdate s;
  s.session_uid = "claude_code:abc";
  s.platform = Platform::claude_code;
  s.native_id = "abc";
  s.kind = SessionKind::workflow;
  s.parent_uid = "claude_code:parent";
  s.parent_call_id = "c";
  s.forked_from = "claude_code:first";
  s.agent_name = "Explore";
  s.title = "A title";
  s.title_rank = TitleRank::custom;
  s.description = "d";
  s.cwd = "/w";
  s.git_branch = "b";
  s.model = "m";
  s.agent_version = "v";
  s.mode = "plan";
  s.started_at = s.time = 1'772'529'120'001;
  s.ended_at = 1'772'529'130'002;
  s.context_tokens = 7;
  s.lines_added = 8;
  s.lines_removed = 9;
  s.cost_usd = 1.5;
  const std::string line = events_v1::session_line(s, s.time);
  EXPECT_EQ(test::events_schema().problems(boost::json::parse(line)), "");
  const auto batch = read_back(line);
  EXPECT_TRUE(batch.events.empty());
  ASSERT_EQ(batch.sessions.size(), 1u);
  const SessionUpdate& r = batch.sessions.front();
  EventBatch want;
  want.sessions.push_back(s);
  EventBatch got;
  got.sessions.push_back(r);
  EXPECT_EQ(test::batch_json(got), test::batch_json(want));
  EXPECT_EQ(r.forked_from, s.forked_from);
  EXPECT_EQ(r.mode, s.mode);
  EXPECT_EQ(r.started_at, s.started_at);
  EXPECT_EQ(r.ended_at, s.ended_at);
  EXPECT_EQ(r.context_tokens, 7);
  EXPECT_EQ(r.lines_added, 8);
  EXPECT_EQ(r.lines_removed, 9);
  EXPECT_EQ(r.cost_usd, 1.5);
  EXPECT_EQ(r.cwd, "/w");
}

// All fields but the state and the end at the time of the export, which follow from the events.
TEST(EventsWriter, TheRecordOfASessionComesBack) {
  SessionUpdate s;
  s.session_uid = "claude_code:abc";
  s.platform = Platform::claude_code;
  s.native_id = "abc";
  s.repo = "https://example.org/app.git";
  s.model = "whole session's";
  s.ended_at = s.stopped_at = 1'772'529'130'002;
  SessionRecord& record = s.record.emplace();
  record.outcome = Outcome::abandoned;
  record.cost = {{1, 2, 3, 4}, 5, 6, 61'007};
  record.cwd = "/w";
  record.git_branch = "b";
  record.source_path = "/h/\"t\".jsonl";
  record.source_bytes = 77;
  record.watermarks = {1'772'529'130'003, 1'772'529'130'004, 1'772'529'130'005, 1'772'529'130'006};
  KeptDigest& digest = record.digest.emplace();
  digest.request = "Why?";
  digest.result = "Because.";
  digest.abstract = "User: Why?\nBecause.";
  digest.errors = {{1'772'529'130'001, "Bash", "no \\ such"}, {0, "", "x"}};
  const auto back = [](const SessionUpdate& session) {
    const std::string line = events_v1::session_line(session, session.time);
    EXPECT_EQ(test::events_schema().problems(boost::json::parse(line)), "") << line;
    const auto batch = read_back(line);
    EXPECT_TRUE(batch.diagnostics.empty());
    return batch.sessions.at(0);
  };
  SessionUpdate r = back(s);
  EXPECT_EQ(r.repo, s.repo);
  EXPECT_EQ(r.stopped_at, s.stopped_at);
  EXPECT_EQ(r.model, s.model);
  EXPECT_EQ(r.cwd, "") << "its events say it";
  EXPECT_EQ(r.record, s.record);
  record.digest.reset();
  record.watermarks = {1, 2, 0, 0};
  record.state = SessionState::active;
  r = back(s);
  r.record->state = SessionState::active;
  EXPECT_EQ(r.record, s.record);
  s.record.reset();
  EXPECT_FALSE(back(s).record);
}

TEST(EventsAdapters, KnowTheirFiles) {
  const Adapter& thunderus = *find_adapter(Platform::thunderus);
  EXPECT_TRUE(thunderus.roots({"/home/u", {}}).empty());
  EXPECT_TRUE(imported().roots({"/home/u", {}}).empty());
  EXPECT_EQ(thunderus.roots({"/home/u", {"/src/app"}}).size(), 1u);
  EXPECT_TRUE(thunderus.classify("/src/app", "/src/app/.thunderus/events.jsonl"));
  EXPECT_TRUE(thunderus.classify("/src/app", "/src/app/.thunderus/sessions/1/events.jsonl"));
  EXPECT_TRUE(thunderus.classify("/logs/events.jsonl", "/logs/events.jsonl"));
  EXPECT_FALSE(thunderus.classify("/src/app", "/src/app/events.jsonl"));
  EXPECT_FALSE(thunderus.classify("/src/app", "/src/app/.thunderus/memory/notes.jsonl"));
  EXPECT_TRUE(thunderus.looks_into("/src/app", "/src/app"));
  EXPECT_TRUE(thunderus.looks_into("/src/app", "/src/app/.thunderus/sessions"));
  EXPECT_FALSE(thunderus.looks_into("/src/app", "/src/app/node_modules"));
  EXPECT_TRUE(imported().classify("/drop", "/drop/a/b.jsonl"));
  EXPECT_FALSE(imported().classify("/drop", "/drop/readme.md"));
  EXPECT_EQ(imported().session_uid({Platform::imported, "/drop/b.jsonl", SourceFormat::jsonl}, "{}"), "");
}

}  // namespace
}  // namespace memd
