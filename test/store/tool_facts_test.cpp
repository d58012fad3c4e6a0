// Rows of commands, results and todo items: how they are written and paired, and what queries find.
#include "store/read/tool_facts.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/session_past.hpp"
#include "test/support/event_script.hpp"
#include "test/support/writer_fixture.hpp"

#include <gmock/gmock.h>

namespace memd {
namespace {

using test::EventScript;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

ToolFacts todos(bool replaces, std::vector<TodoItem> items) {
  ToolFacts facts;
  facts.todos = TodoUpdate{replaces, std::move(items)};
  return facts;
}

ToolFacts ended(std::int32_t code) {
  ToolFacts facts;
  facts.exit_code = code;
  return facts;
}

EventScript worked_on_files() {
  EventScript s;
  s.user("Write the exporter.");
  s.call("t1", "TodoWrite", "2").facts(todos(true, {{"", "rows", TodoState::done}, {"", "dates", TodoState::pending}}));
  s.result("t1", "ok");
  s.call("c1", "Bash", "go build ./...").result("c1", "main.go:3: undefined: x", true).facts(ended(1));
  s.call("c2", "Bash", "go test ./rows | tail -3").result("c2", "--- FAIL: TestRows\nFAIL").facts(ended(0));
  s.call("c3", "Bash", "ls").result("c3", "a.go").facts(ended(0));
  s.user("Go on.");
  s.call("t2", "TaskCreate", "x")
      .result("t2", "Task #1 created")
      .facts(todos(false, {{"1", "page", TodoState::pending}}));
  s.call("t3", "TaskUpdate", "1").facts(todos(false, {{"1", "", TodoState::in_progress}})).result("t3", "ok");
  s.call("c4", "Bash", "go test ./rows");
  return s;
}

class ToolFactsRows : public test::WriterFixture {
 protected:
  static std::vector<std::string> told(const std::vector<continuity::Todo>& list) {
    std::vector<std::string> out;
    for (const auto& todo : list)
      out.push_back(todo.text + " " + std::string(to_string(todo.state)) + " @" + std::to_string(todo.seq));
    return out;
  }
};

TEST_F(ToolFactsRows, AreThoseOfTheirEvents) {
  apply(worked_on_files().batch());
  EXPECT_THAT(rows("SELECT event_seq || ' ' || line || ' ' || purpose FROM commands ORDER BY event_seq"),
              ElementsAre("3 go build ./... 2", "6 go test ./rows | tail -3 1", "9 ls 0", "16 go test ./rows 1"));
  EXPECT_THAT(rows("SELECT event_seq || ' ' || coalesce(exit_code, '-') || ' ' || coalesce(outcome, '-')"
                   " FROM command_results ORDER BY event_seq"),
              ElementsAre("4 1 2", "7 0 2", "10 0 -"));
  auto db = reading();
  const auto facts = queries::tool_facts(db, 1, 0, 100);
  EXPECT_EQ(facts.at(3).commands, worked_on_files().events().at(3).facts.commands);
  EXPECT_EQ(facts.at(1).todos, worked_on_files().events().at(1).facts.todos);
  EXPECT_EQ(facts.at(4).exit_code, 1);
  EXPECT_EQ(facts.at(7).outcome, RunOutcome::failed) << "the pipe ended well";
  EXPECT_THAT(queries::tool_facts(db, 1, 4, 7), SizeIs(2)) << "seq 4 and 6";
}

TEST_F(ToolFactsRows, TheSameEventByEventAcrossRestarts) { expect_same_event_by_event(worked_on_files()); }

TEST_F(ToolFactsRows, GoWithTheirEvents) {
  apply(worked_on_files().batch());
  writer_.reset();
  auto db = sqlite::Database::open(file_, sqlite::OpenMode::read_write);
  db.exec("DELETE FROM events WHERE seq >= 4");
  EXPECT_THAT(rows("SELECT event_seq FROM commands"), ElementsAre("3"));
  EXPECT_THAT(rows("SELECT event_seq FROM command_results"), IsEmpty());
  EXPECT_THAT(rows("SELECT DISTINCT event_seq FROM todo_items"), ElementsAre("1"));
}

TEST_F(ToolFactsRows, SecretsAreMasked) {
  const std::string secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  EventScript s;
  s.user("Go.").call("c1", "Bash", "deploy --token " + secret);
  s.call("t1", "TodoWrite", "1").facts(todos(true, {{"", "use " + secret, TodoState::pending}}));
  apply(s.batch());
  EXPECT_THAT(rows("SELECT line FROM commands UNION ALL SELECT text FROM todo_items"),
              testing::Each(testing::Not(testing::HasSubstr("ghp_"))));
}

TEST_F(ToolFactsRows, TheListIsTheLastOneWithWhatChangedSince) {
  apply(worked_on_files().batch());
  auto db = reading();
  EXPECT_THAT(told(TodoListQuery{1}.run(db)), ElementsAre("rows done @1", "dates pending @1", "page in_progress @13"));
  EXPECT_THAT(told(TodoListQuery{1, 13}.run(db)), ElementsAre("rows done @1", "dates pending @1"));
  EXPECT_THAT(told(TodoListQuery{1, 1}.run(db)), IsEmpty());
  EXPECT_THAT(told(TodoListQuery{99}.run(db)), IsEmpty());
}

TEST_F(ToolFactsRows, AnEmptiedListIsEmpty) {
  EventScript s = worked_on_files();
  s.call("t4", "TodoWrite", "0").facts(todos(true, {})).result("t4", "ok");
  s.call("t5", "TaskCreate", "x").facts(todos(false, {{"2", "index", TodoState::pending}}));
  apply(s.batch());
  auto db = reading();
  const std::int64_t emptied = 17;
  EXPECT_EQ(queries::tool_facts(db, 1, emptied, emptied + 1).at(emptied).todos, (TodoUpdate{true, {}}));
  EXPECT_THAT(told(TodoListQuery{1, emptied + 1}.run(db)), IsEmpty());
  EXPECT_THAT(told(TodoListQuery{1}.run(db)), ElementsAre("index pending @19"));
}

TEST_F(ToolFactsRows, ASubagentsListIsItsOwn) {
  EventScript s;
  s.user("Go.").call("c1", "Bash", "go test ./a").result("c1", "ok");
  EventBatch batch = s.call("c2", "Bash", "go test ./b").batch();
  batch.events.back().is_sidechain = true;
  batch.events.back().facts.todos = TodoUpdate{true, {{"", "theirs", TodoState::pending}}};
  apply(std::move(batch));
  auto db = reading();
  EXPECT_THAT(TodoListQuery{1}.run(db), IsEmpty());
}

int count_statement(unsigned, void* count, void*, void*) {
  ++*static_cast<int*>(count);
  return 0;
}

// The number of statements does not grow with the session: one statement per record would be hundreds.
TEST_F(ToolFactsRows, ThePastIsReadWithFewStatements) {
  EventScript s;
  s.user("Go.");
  for (int i = 0; i < 200; ++i)
    s.call("c" + std::to_string(i), "Bash", "ls " + std::to_string(i)).result("c" + std::to_string(i), "a\nb");
  apply(s.batch());
  auto db = reading();
  int statements = 0;
  sqlite3_trace_v2(db.handle(), SQLITE_TRACE_STMT, &count_statement, &statements);
  const auto past = SessionPastQuery{1, {}}.run(db);
  std::vector<std::int64_t> all;
  for (const auto& e : past.events)
    all.push_back(e.seq);
  EXPECT_THAT((EventSourcesQuery{1, all}.run(db)), SizeIs(401));
  EXPECT_LE(statements, 20);
}

}  // namespace
}  // namespace memd
