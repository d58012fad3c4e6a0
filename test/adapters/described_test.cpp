#include "adapters/described/described_adapter.hpp"
#include "adapters/described/file_pattern.hpp"
#include "adapters/registry.hpp"
#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "test/adapters/batch_json.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/decode_source.hpp"
#include "test/adapters/folder_view.hpp"
#include "test/support/source_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace memd::described {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Returns the first block of a page in this language.
std::string block_of(const std::string& page, const std::string& language) {
  const std::string begin = "```" + language + "\n";
  const auto at = page.find(begin);
  if (at == std::string::npos) return {};
  const auto from = at + begin.size();
  return page.substr(from, page.find("```", from) - from);
}

std::unique_ptr<const DescribedAdapter> adapter_of(const std::string& yaml) {
  auto description = parse_description(yaml, "d.yaml");
  EXPECT_TRUE(description) << (description ? "" : description.error().message());
  if (!description) return nullptr;
  const Platform platform = stored_platform(description->key);
  return std::make_unique<const DescribedAdapter>(platform, std::move(*description));
}

SourceCandidate candidate_of(const DescribedAdapter& adapter, const std::string& path) {
  for (const auto& root : adapter.roots({"/home/ada", {}, nullptr}))
    if (path.starts_with(root.string() + "/"))
      if (const auto found = adapter.classify(root, path)) return *found;
  ADD_FAILURE() << path << " is no source";
  return {};
}

std::string error_of(const std::string& yaml) {
  const auto description = parse_description(yaml, "d.yaml");
  return description ? "" : description.error().context;
}

// Returns "kind tool: text" of each event.
std::vector<std::string> told(const EventBatch& batch) {
  std::vector<std::string> out;
  for (const Event& e : batch.events)
    out.push_back(std::string(e.kind == EventKind::lifecycle ? e.lifecycle : to_string(e.kind)) +
                  (e.tool.empty() ? "" : " " + e.tool) + ": " +
                  (e.kind == EventKind::tool_call || e.text.empty() ? e.summary : e.text));
  return out;
}

// A log of a source with these rules.
EventBatch decode(const std::string& rules, const std::string& log, const std::string& more = "") {
  const auto adapter = adapter_of(
      "agent: quill\nname: Quill\nsources:\n  - roots: [~/.quill]\n    files: \"{session}.jsonl\"\n"
      "    format: jsonl\n" +
      more + "    rules:\n" + rules);
  if (!adapter) return {};
  auto decoded = test::decode_source(*adapter, candidate_of(*adapter, "/home/ada/.quill/s1.jsonl"), log);
  EXPECT_EQ(test::bytes_of(decoded.batch.coverage), log.size());
  return std::move(decoded.batch);
}

TEST(Described, ThePageIsRight) {
  const std::string page = test::bytes_of(test::source_dir() / "docs" / "custom-platforms.md");
  const auto adapter = adapter_of(block_of(page, "yaml"));
  ASSERT_NE(adapter, nullptr);
  const auto decoded =
      test::decode_source(*adapter, candidate_of(*adapter, "/home/ada/.quill/chats/q7.jsonl"), block_of(page, "json"));
  EXPECT_EQ(decoded.source.session_uid, "quill:q7");
  EXPECT_THAT(
      told(decoded.batch),
      ElementsAre("user_msg: Show prices in euros, not in cents.", "assistant_msg: I read the template first.",
                  "tool_call open_file: open_file /home/ada/shop/price.html", "tool_result: <b>{{ cents }}</b>"));
  ASSERT_EQ(decoded.batch.sessions.size(), 1U);
  EXPECT_EQ(decoded.batch.sessions[0].title, "Prices in euros");
  EXPECT_EQ(decoded.batch.sessions[0].cwd, "/home/ada/shop");
  EXPECT_EQ(decoded.batch.events[1].usage.output, 17);
  EXPECT_EQ(decoded.batch.events[1].model, "quill-2");
  EXPECT_FALSE(decoded.batch.events[3].is_error);
  for (const auto& line : decoded.batch.coverage)
    EXPECT_NE(line.disposition, Disposition::unknown) << line.record_type;
}

TEST(Described, BuiltInDescriptionsAreOfPlatforms) {
  for (const auto& file : embedded::described_agents()) {
    const auto description = parse_description(file.text, std::string(file.name));
    ASSERT_TRUE(description) << description.error().message();
    const auto platform = parse_platform(description->key);
    ASSERT_TRUE(platform) << description->key << " has no line in schemas/platform.hpp";
    EXPECT_EQ(file.name, description->key + ".yaml");
    EXPECT_EQ(name_of(*platform), description->name);
    EXPECT_EQ(find_adapter(*platform)->describe().platform, *platform);
    EXPECT_EQ(find_adapter(*platform)->describe().contract_version, find_adapter(*platform)->contract_version());
    std::vector<std::string> roots;
    for (const auto& source : description->sources)
      roots.insert(roots.end(), source.roots.begin(), source.roots.end());
    EXPECT_EQ(roots_in(file.text, description->key), roots) << "each source begins with its roots";
  }
}

TEST(Described, ErrorsNameFileLineAndKey) {
  const std::string head = "agent: toy\nname: Toy\n";
  EXPECT_EQ(error_of("name: Toy\n"), "d.yaml:1: agent: missing; give the agent a key, such as \"agent: toy\"");
  EXPECT_EQ(error_of("agent: My Toy\n"),
            "d.yaml:1: agent: expected at most 32 of a-z, 0-9 and _, beginning with a letter");
  EXPECT_EQ(error_of(head), "d.yaml:1: sources: missing; say where the agent's files are");
  EXPECT_THAT(error_of(head + "color: red\n"), HasSubstr("d.yaml:3: unknown key 'color'; known here: agent, name"));
  EXPECT_EQ(error_of(head + "lacks: [speed]\n").substr(0, 45), "d.yaml:3: lacks: there is no 'speed'; expecte");
  const auto source = [&](const std::string& lines) {
    return error_of(head + "sources:\n  - roots: [~/.toy]\n" + lines);
  };
  EXPECT_EQ(source(""), "d.yaml:4: sources.files: missing; give a pattern such as \"*/{session}.jsonl\"");
  EXPECT_EQ(source("    files: \"{id}.jsonl\"\n"),
            "d.yaml:5: sources.files: only {session} and {parent} may be in braces");
  EXPECT_EQ(source("    files: x\n    format: xml\n"), "d.yaml:6: sources.format: expected one of jsonl, json, sqlite");
  EXPECT_EQ(source("    files: x\n    format: jsonl\n"),
            "d.yaml:4: sources.session: missing; put {session} into \"files\", or say session: {id: /pointer}");
  EXPECT_EQ(source("    files: x\n    format: sqlite\n"),
            "d.yaml:4: sources.sessions: missing; give a SELECT of one row a session");
  EXPECT_EQ(source("    files: x\n    format: sqlite\n    sessions: DROP TABLE x\n"),
            "d.yaml:7: sources.sessions: expected one SELECT, without a semicolon");
  const auto rule = [&](const std::string& lines) {
    return source("    files: \"{session}.jsonl\"\n    format: jsonl\n    rules:\n" + lines);
  };
  EXPECT_EQ(rule("      - when: {type: x}\n"), "d.yaml:8: sources.rules.when: expected a pointer, which begins with /");
  EXPECT_EQ(rule("      - when: {/type: x}\n"),
            "d.yaml:8: sources.rules: a rule gives something, or says why not with \"skip: reason\"");
  EXPECT_EQ(rule("      - message: claude\n"),
            "d.yaml:8: sources.rules.message: expected one of anthropic, openai, gemini, text");
  EXPECT_EQ(rule("      - skip: not worth it\n"),
            "d.yaml:8: sources.rules.skip: expected a reason in one word, such as bookkeeping");
  EXPECT_EQ(rule("      - prompt: text\n"), "d.yaml:8: sources.rules.prompt: expected a pointer, which begins with /");
  EXPECT_THAT(source("    files: [\n"), HasSubstr("not valid YAML"));
}

TEST(Described, FilesOfAPromptAreNamedNotKept) {
  const auto batch = decode(
      "      - each:\n          at: /body\n          rules:\n"
      "            - {when: {/t: text}, prompt: /s}\n            - {when: {/t: image}, prompt: {files: /}}\n",
      R"({"body":[{"t":"text","s":"Why?"},{"t":"image","name":"a.png","mime":"image/png","b64":"aGVsbG8="}]})"
      "\n");
  ASSERT_EQ(batch.events.size(), 1U);
  EXPECT_EQ(batch.events[0].text, "Why?");
  EXPECT_EQ(batch.events[0].summary, "[image: a.png, image/png, sha256:2cf24dba5fb0]");
}

TEST(Described, ExamplesAreRight) {
  for (const auto& file : std::filesystem::directory_iterator(test::source_dir() / "docs" / "examples"))
    EXPECT_NE(adapter_of(test::bytes_of(file.path())), nullptr) << file.path();
}

TEST(Described, PatternsNameTheSession) {
  EXPECT_EQ(match_file("*/{session}.jsonl", "p/s1.jsonl")->session, "s1");
  EXPECT_EQ(match_file("*_{session}.jsonl", "2026_03_s1.jsonl")->session, "s1");
  EXPECT_FALSE(match_file("*/{session}.jsonl", "s1.jsonl"));
  EXPECT_FALSE(match_file("{session}.jsonl", ".jsonl"));
  EXPECT_EQ(match_file("**/{session}/log", "a/b/s1/log")->session, "s1");
  EXPECT_EQ(match_file("{parent}/sub/agent-{session}.json", "m/sub/agent-7.json")->parent, "m");
  EXPECT_EQ(match_file_end("*/{session}.jsonl", "/home/ada/.x/p/s1.jsonl")->session, "s1");
  EXPECT_FALSE(match_file_end("x/{session}.jsonl", "/home/ada/.x/p/s1.jsonl"));
  EXPECT_TRUE(may_hold("*/chats/{session}.jsonl", "p"));
  EXPECT_TRUE(may_hold("*/chats/{session}.jsonl", "p/chats"));
  EXPECT_FALSE(may_hold("*/chats/{session}.jsonl", "p/other"));
  EXPECT_FALSE(may_hold("{session}.jsonl", "p"));
}

TEST(Described, MessagesOfTheUsualShapes) {
  EXPECT_THAT(
      told(decode(
          "      - message: anthropic\n",
          R"({"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"two"},{"type":"image","source":{"media_type":"image/png","data":"AAAA"}}]})"
          "\n"
          R"({"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"yes"},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}]})"
          "\n"
          R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"done"}],"is_error":true}]})"
          "\n")),
      ElementsAre("user_msg: one\ntwo", "thinking: hm", "assistant_msg: yes", "tool_call Bash: Bash: make",
                  "tool_result: done"));
  EXPECT_THAT(
      told(decode(
          "      - message: openai\n",
          R"({"role":"user","content":"hello"})"
          "\n"
          R"({"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"c","function":{"name":"run","arguments":"{\"command\":\"ls\"}"}}]})"
          "\n"
          R"({"role":"tool","tool_call_id":"c","name":"run","content":"a.txt"})"
          "\n"
          R"({"role":"system","content":"be kind"})"
          "\n")),
      ElementsAre("user_msg: hello", "thinking: hm", "tool_call run: run: ls", "tool_result run: a.txt"));
  EXPECT_THAT(
      told(decode(
          "      - message: {as: gemini, at: /message}\n",
          R"({"message":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"so"},{"functionCall":{"id":"f","name":"read","args":{"path":"/a"}}}]}})"
          "\n"
          R"({"message":{"role":"user","parts":[{"functionResponse":{"id":"f","name":"read","response":{"error":"gone"}}}]}})"
          "\n")),
      ElementsAre("thinking: hm", "assistant_msg: so", "tool_call read: read /a", "tool_result read: gone"));
}

TEST(Described, UnknownShapesAreTold) {
  const auto batch = decode(
      "      - {when: {/t: a}, message: {as: anthropic, at: /m}}\n      - {when: {/t: b}, each: {at: /l, rules: "
      "[{when: {/k: 1}, answer: /v}]}}\n",
      R"({"t":"x"})"
      "\n"
      R"({"t":"a","m":{"role":"assistant","content":[{"type":"hologram"}]}})"
      "\n"
      R"({"t":"a","m":{"role":"narrator","content":"x"}})"
      "\n"
      R"({"t":"b","l":[{"k":1,"v":"seen"},{"k":2}]})"
      "\n"
      R"({"t":"b","l":)"
      "\n");
  std::vector<std::string> reasons;
  for (const auto& line : batch.coverage)
    reasons.push_back(line.record_type + " " + line.reason);
  EXPECT_THAT(reasons, ElementsAre("x unknown_type", "a unknown_block", "a unknown_role", "b unknown_element",
                                   "(damaged) damaged"));
  EXPECT_THAT(told(batch), ElementsAre("assistant_msg: seen"));
}

TEST(Described, StringsMayHoldJson) {
  EXPECT_THAT(
      told(decode("      - {when: {/c!/k: u}, prompt: /c!/t}\n      - {each: {at: /c!, rules: [{answer: \"/\"}]}}\n",
                  R"({"c":"{\"k\":\"u\",\"t\":\"hello\"}"})"
                  "\n"
                  R"({"c":"[\"a\",\"b\"]"})"
                  "\n"
                  R"({"c":"[broken"})"
                  "\n")),
      ElementsAre("user_msg: hello", "assistant_msg: a", "assistant_msg: b"));
}

// Documents.
class Documents : public testing::Test {
 protected:
  test::Snapshot read(const std::string& lines, const std::string& text) {
    adapter_ = adapter_of(
        "agent: quill\nname: Quill\nsources:\n  - roots: [~/.quill]\n    files: \"{session}.json\"\n    format: "
        "json\n" +
        lines);
    files_.write(kPath, text);
    auto snapshot = test::decode_snapshot(*adapter_, candidate_of(*adapter_, kPath), files_);
    EXPECT_EQ(snapshot.item_bytes + test::bytes_of(snapshot.plan.rest), text.size());
    return snapshot;
  }
  static constexpr const char* kPath = "/home/ada/.quill/s1.json";
  std::unique_ptr<const DescribedAdapter> adapter_;
  test::FolderView files_;
};

TEST_F(Documents, AreReadElementByElement) {
  const auto found = read(
      "    records: /history\n    session: {title: /title, cwd: /dir, started: /made}\n    rules: [{message: "
      "openai}]\n",
      R"({"title":"T","dir":"file:///home/ada/a%20b","made":1772529124000,"extra":[1,2],"history":[{"role":"user","content":"yes"},{"role":"assistant","content":"ok"},{"role":"user","content":"yes"}]})");
  ASSERT_EQ(found.sessions.size(), 1U);
  const auto& session = found.sessions.at("quill:s1");
  EXPECT_THAT(told(session.batch), ElementsAre("user_msg: yes", "assistant_msg: ok", "user_msg: yes"));
  EXPECT_NE(session.batch.events[0].event_id, session.batch.events[2].event_id);
  EXPECT_EQ(session.batch.events[0].time, 1772529124000);
  EXPECT_TRUE(session.batch.events[0].time_estimated);
  EXPECT_EQ(session.batch.sessions[0].cwd, "/home/ada/a b");
  EXPECT_EQ(session.batch.sessions[0].title, "T");
}

TEST_F(Documents, MayHoldSeveralSessions) {
  const auto found = read(
      "    sessions: /threads\n    records: /m\n    session: {id: /@key, title: /n}\n    rules: [{message: text}]\n",
      R"({"threads":{"a":{"n":"A","m":[{"role":"user","content":"1"}]},"b":{"m":[]}}})");
  ASSERT_EQ(found.sessions.size(), 2U);
  EXPECT_THAT(told(found.sessions.at("quill:a").batch), ElementsAre("user_msg: 1"));
}

TEST_F(Documents, MayBeTheArrayItselfOrAnother) {
  EXPECT_THAT(told(read("    records: /\n    rules: [{message: text}]\n", R"([{"role":"user","text":"1"}, 7])")
                       .sessions.at("quill:s1")
                       .batch),
              ElementsAre("user_msg: 1"));
  const auto other = read("    records: /history\n    rules: [{message: text}]\n", R"({"index":[1]})");
  EXPECT_EQ(other.plan.rest.at(0).disposition, Disposition::unknown);
}

TEST_F(Documents, ThatAreBeingWrittenAreReadLater) {
  read("    records: /h\n    rules: [{message: text}]\n", R"({"h":[]})");
  files_.write(kPath, R"({"h":[{"role":"user","te)");
  Source source;
  source.path = kPath;
  source.format = SourceFormat::json;
  const auto plan = adapter_->open_snapshot(source, files_)->plan("");
  ASSERT_FALSE(plan);
  EXPECT_TRUE(plan.error().is(Errc::busy));
}

// Continue's messages have no id, and change while their calls run.
TEST(Described, AMessageOfContinueStaysOneWhileItsCallsRun) {
  constexpr const char* kSession = "/home/ada/.continue/sessions/s1.json";
  const Adapter& adapter = built_in_adapter(Platform::continue_dev);
  const auto candidate = adapter.classify("/home/ada/.continue/sessions", kSession);
  ASSERT_TRUE(candidate);
  test::FolderView files;
  const auto call_in = [&](const std::string& state) {
    files.write(kSession,
                R"({"sessionId":"s1","history":[{"message":{"role":"assistant","content":"","toolCalls":[{"id":"c1",)"
                R"("type":"function","function":{"name":"Bash","arguments":"{\"command\":\"make\"}"}}]},)"
                R"("contextItems":[],"toolCallStates":[{"toolCallId":"c1",)" +
                    state + "}]}]}");
    return test::decode_snapshot(adapter, *candidate, files).sessions.at("continue:s1");
  };
  const auto runs = call_in(R"("status":"calling")");
  const auto done = call_in(R"("status":"done","output":[{"content":"built"}])");
  EXPECT_EQ(runs.keys, done.keys);
  EXPECT_EQ(runs.batch.events.at(0).event_id, done.batch.events.at(0).event_id);
  EXPECT_THAT(told(done.batch), ElementsAre("tool_call Bash: Bash: make", "tool_result: built"));
}

TEST(Described, OwnAgentsAreKnown) {
  const auto toy = [](const std::string& key) {
    auto description = parse_description("agent: " + key +
                                             "\nname: Toy\nrules: [{message: text}]\nsources: [{roots: [~/.toy], "
                                             "files: \"{session}.jsonl\", format: jsonl}]\n",
                                         "d.yaml");
    return std::make_shared<const Description>(std::move(description).value());
  };
  const std::vector<std::shared_ptr<const Description>> agents{toy("toybox")};
  ASSERT_TRUE(use_own_agents(agents));
  const auto platform = parse_platform("toybox");
  ASSERT_TRUE(platform);
  EXPECT_GE(static_cast<unsigned>(*platform), kOwnPlatform);
  EXPECT_EQ(to_string(*platform), "toybox");
  EXPECT_EQ(name_of(*platform), "Toy");
  EXPECT_EQ(find_platform(*platform)->light.size(), 7U);
  EXPECT_EQ(find_adapter(*platform)->describe().platform, *platform);
  EXPECT_EQ(all_adapters().size(), platforms().size());
  for (const std::vector<std::shared_ptr<const Description>>& bad :
       {std::vector{toy("codex")}, std::vector{toy("twice"), toy("twice")}}) {
    const auto refused = use_own_agents(bad);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().context, HasSubstr("d.yaml:1: agent: "));
  }
  ASSERT_TRUE(use_own_agents({}));
  EXPECT_FALSE(parse_platform("toybox"));
  EXPECT_EQ(to_string(stored_platform("toybox")), "toybox");
}

// Neither a description nor what it reads can do harm, whatever they are.
TEST(Described, AnyDescriptionOfAnyBytes) {
  const std::string page = test::bytes_of(test::source_dir() / "docs" / "custom-platforms.md");
  std::vector<std::string> seeds{block_of(page, "yaml")};
  for (const auto& file : embedded::described_agents())
    seeds.emplace_back(file.text);
  const std::string log = block_of(page, "json");
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const auto mutate = [&](std::string text) {
    for (std::size_t n = 1 + below(4); n > 0 && !text.empty(); --n) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0: text[at] = static_cast<char>(below(256)); break;
        case 1: text.erase(at, 1 + below(12)); break;
        case 2: text.insert(at, text, below(text.size()), below(30)); break;
        default: text.insert(at, std::string(1, "/{}[]\"!^:,"[below(10)])); break;
      }
    }
    return text;
  };
  int read = 0;
  for (int i = 0; i < 600; ++i) {
    const std::string& seed = seeds[below(seeds.size())];
    auto description = parse_description(i % 3 == 0 ? seed : mutate(seed), "d.yaml");
    if (!description) {
      EXPECT_TRUE(description.error().is(Errc::bad_config));
      EXPECT_THAT(description.error().context, HasSubstr("d.yaml:"));
      continue;
    }
    ++read;
    const SourceFormat format = description->sources.front().format;
    const DescribedAdapter adapter(stored_platform("quill"), std::move(*description));
    const std::string text = mutate(log);
    const SourceCandidate candidate{stored_platform("quill"), "/home/ada/x/y.jsonl", format};
    if (format == SourceFormat::jsonl) {
      const auto decoded = test::decode_source(adapter, candidate, text);
      EXPECT_EQ(test::bytes_of(decoded.batch.coverage), text.size());
      for (const Event& e : decoded.batch.events)
        (void)adapter.event_text(
            std::string_view(text + std::string(kRecordPadding, ' ')).substr(e.raw.offset, e.raw.length), e.kind,
            e.raw.block);
      continue;
    }
    test::FolderView files;
    files.write(candidate.path, text);
    Source source;
    source.path = candidate.path;
    const auto reader = adapter.open_snapshot(source, files);
    if (!reader) continue;
    const auto plan = reader->plan("");
    if (plan)
      for (const auto& session : plan->sessions)
        (void)reader->session(session, {});
  }
  EXPECT_GT(read, 150);
}

}  // namespace
}  // namespace memd::described
