// Measures which facts needed after a compaction a pack contains, on generated sessions in Claude Code's format with
// planted facts. planted_facts/README.md describes how they are written.
#include "daemon/ingest/record_finder.hpp"
#include "daemon/tools/resume_context.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/store_health.hpp"
#include "store/reader_pool.hpp"
#include "test/support/corpus_store.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/tool_fixture.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>

namespace memd {
namespace {

namespace fs = std::filesystem;
namespace bj = boost::json;

struct PlantedFact {
  std::string kind;
  std::vector<std::string> parts;
};

struct PlantedSession {
  std::string name;
  std::vector<std::pair<std::string, std::string>> lines;  // first word, rest of the line
  std::vector<PlantedFact> facts;
};

std::vector<std::string> parts_of(std::string text, std::string_view border) {
  std::vector<std::string> out;
  for (auto at = text.find(border); at != std::string::npos; at = text.find(border)) {
    out.push_back(text.substr(0, at));
    text.erase(0, at + border.size());
  }
  out.push_back(text);
  return out;
}

PlantedSession read_session(const fs::path& file) {
  PlantedSession out{file.stem().string(), {}, {}};
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    for (auto at = line.find("\\n"); at != std::string::npos; at = line.find("\\n", at))
      line.replace(at, 2, "\n");
    const auto blank = line.find(' ');
    const std::string word = line.substr(0, blank);
    const std::string rest = blank == std::string::npos ? "" : line.substr(blank + 1);
    if (word == "fact")
      out.facts.push_back({rest.substr(0, rest.find(':')), parts_of(rest.substr(rest.find(": ") + 2), " | ")});
    else if (!word.empty())
      out.lines.emplace_back(word, rest);
  }
  return out;
}

// Writes records as Claude Code does.
class ToldTranscript {
 public:
  ToldTranscript(std::string session, std::string cwd) : session_(std::move(session)), cwd_(std::move(cwd)) {}

  void user(const std::string& text) { record("user", {{"role", "user"}, {"content", text}}); }
  void agent(const std::string& text) { answer({{{"type", "text"}, {"text", text}}}); }
  void tool(const std::string& name, bj::object input, std::string output) {
    const bool failed = output.starts_with('!');
    if (failed) output.erase(0, 1);
    const std::string id = "toolu_" + std::to_string(++calls_);
    answer({{{"type", "tool_use"}, {"id", id}, {"name", name}, {"input", std::move(input)}}});
    record("user",
           {{"role", "user"},
            {"content", {{{"type", "tool_result"}, {"tool_use_id", id}, {"content", output}, {"is_error", failed}}}}});
  }
  void compact() {
    bj::object boundary = head("system");
    boundary["subtype"] = "compact_boundary";
    boundary["content"] = "Conversation compacted";
    boundary["compactMetadata"] = {{"trigger", "auto"}, {"preTokens", 155000}};
    put(std::move(boundary));
  }
  const std::string& text() const { return text_; }

 private:
  bj::object head(std::string_view type) {
    char uuid[40];
    std::snprintf(uuid, sizeof uuid, "00000000-0000-4000-8000-%012d", ++records_);
    char time[32];
    std::snprintf(time, sizeof time, "2026-02-09T%02d:%02d:%02d.000Z", 6 + records_ / 3600, records_ / 60 % 60,
                  records_ % 60);
    return {
        {"parentUuid", nullptr}, {"isSidechain", false},   {"type", type}, {"uuid", session_.substr(0, 4) + (uuid + 4)},
        {"timestamp", time},     {"userType", "external"}, {"cwd", cwd_},  {"sessionId", session_},
        {"version", "2.1.7"},    {"gitBranch", "main"}};
  }
  void put(bj::object object) { text_ += bj::serialize(object) + "\n"; }
  void record(std::string_view type, bj::object message) {
    bj::object object = head(type);
    object["message"] = std::move(message);
    put(std::move(object));
  }
  void answer(bj::array content) {
    record("assistant", {{"id", "msg_" + std::to_string(records_)},
                         {"type", "message"},
                         {"role", "assistant"},
                         {"model", "claude-opus-4-5"},
                         {"content", std::move(content)}});
  }

  std::string session_;
  std::string cwd_;
  std::string text_;
  int records_ = 0;
  int calls_ = 0;
};

// Adds unrelated work between the facts, with other words and other files each time.
void add_chores(ToldTranscript& out, int from, int count) {
  constexpr std::array<std::string_view, 8> kAsked{"Rename the helper in module %, the old name is misleading.",
                                                   "Can you explain what % does on start-up?",
                                                   "Add a comment to % about the order of arguments.",
                                                   "The log line in % is too long, split it.",
                                                   "Sort the imports of %.",
                                                   "Why does % read the environment twice?",
                                                   "Show me the last change of %.",
                                                   "Fix the typo in the docs of %."};
  constexpr std::array<std::string_view, 8> kSaid{
      "The helper in % has its new name now.",
      "On start-up % reads its settings and opens a socket.",
      "The comment in % tells the order.",
      "Two lines in % now.",
      "The imports of % are sorted.",
      "It reads the environment of % once for defaults and once for overrides.",
      "The last change of % was a month ago.",
      "Corrected in the docs of %."};
  const auto fill = [](std::string_view pattern, int n) {
    std::string text(pattern);
    text.replace(text.find('%'), 1, "area" + std::to_string(n) + "/part" + std::to_string(n * 7 % 23));
    return text;
  };
  for (int n = from; n < from + count; ++n) {
    const auto which = static_cast<std::size_t>(n) % kAsked.size();
    out.user(fill(kAsked[which], n));
    out.tool("Edit",
             {{"file_path", "/home/ada/src/x/area" + std::to_string(n) + ".txt"},
              {"old_string", "before " + std::to_string(n)},
              {"new_string", "after " + std::to_string(n)}},
             "The file has been updated.");
    out.agent(fill(kSaid[which], n));
  }
}

std::string transcript_of(const PlantedSession& session, const std::string& id) {
  const std::string cwd = "/home/ada/src/" + session.name;
  ToldTranscript out(id, cwd);
  int chores = 0;
  for (const auto& [word, rest] : session.lines) {
    const std::vector<std::string> sides = parts_of(rest, " => ");
    if (word == "user") {
      out.user(rest);
    } else if (word == "agent") {
      out.agent(rest);
    } else if (word == "run") {
      out.tool("Bash", {{"command", sides[0]}}, sides.at(1));
    } else if (word == "read") {
      out.tool("Read", {{"file_path", cwd + "/" + rest}}, "     1→…");
    } else if (word == "edit") {
      out.tool("Edit", {{"file_path", cwd + "/" + sides[0]}, {"old_string", "x"}, {"new_string", sides.at(1)}},
               "The file has been updated.");
    } else if (word == "chores") {
      add_chores(out, chores, std::stoi(rest));
      chores += std::stoi(rest);
    } else {
      ADD_FAILURE() << session.name << ": unknown line " << word;
    }
  }
  out.compact();
  return out.text();
}

bool holds(const std::string& line, const PlantedFact& fact) {
  return std::all_of(fact.parts.begin(), fact.parts.end(), [&](const std::string& part) {
    return std::search(line.begin(), line.end(), part.begin(), part.end(),
                       [](char a, char b) { return std::tolower(a) == std::tolower(b); }) != line.end();
  });
}

class PlantedNoFreshness final : public tools::FreshnessProvider {
 public:
  std::vector<PlatformFreshness> freshness() const override { return {}; }
  std::uint64_t generation() const override { return 1; }
};

class PlantedRawText final : public tools::RawText {
 public:
  Result<std::string> event_text(const EventSource& where, EventKind kind) const override {
    return read_event_text(where.platform, where.path, kind, where.raw);
  }
};

class PlantedFacts : public testing::Test {
 protected:
  // The result for the sessions of a folder.
  struct Recovered {
    int all = 0;
    int found = 0;
    std::map<std::string, std::pair<int, int>> kinds;  // found, all
    std::string missing;
  };

  Recovered recover(const std::string& half, int tokens) {
    const test::TempDir home;
    std::vector<PlantedSession> sessions;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(test::source_dir() / "test/daemon/planted_facts" / half))
      files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      sessions.push_back(read_session(file));
      test::write_file(home / ".claude/projects/-planted" / (id_of(sessions.size() - 1) + ".jsonl"),
                       transcript_of(sessions.back(), id_of(sessions.size() - 1)));
    }
    const fs::path database = home / "memd.db";
    test::ingest(Discovery(all_adapters(), home.path(), {}, {}), database);
    return ask(sessions, database, tokens);
  }

 private:
  static std::string id_of(std::size_t n) {
    return std::string(4, static_cast<char>('1' + n)) + "1111-1111-4111-8111-111111111111";
  }

  Recovered ask(const std::vector<PlantedSession>& sessions, const fs::path& database, int tokens) {
    const test::FakeClock clock;
    ReaderPool pool(database, 1);
    const PlantedNoFreshness freshness;
    const PlantedRawText raw;
    test::FakeAdapters adapters;
    for (const Adapter* adapter : all_adapters())
      adapters.push_back(adapter->describe());
    mcp::ToolRegistry registry;
    tools::add_resume_context(registry, {pool, clock, freshness, raw, adapters, database, {}, {}});
    mcp::ToolContext context;
    Recovered out;
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      const auto answer = registry.call(
          "resume_context",
          R"({"before":"1","session_id":")" + id_of(i) + R"(","max_tokens":)" + std::to_string(tokens) + "}", context);
      EXPECT_FALSE(answer.is_error) << answer.text;
      const std::vector<std::string> lines = parts_of(answer.text, "\n");
      for (const PlantedFact& fact : sessions[i].facts) {
        const bool found =
            std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return holds(line, fact); });
        ++out.all;
        ++out.kinds[fact.kind].second;
        out.found += found;
        out.kinds[fact.kind].first += found;
        if (!found) out.missing += "\n  " + sessions[i].name + ": " + fact.kind + " " + fact.parts.front();
      }
    }
    for (const auto& [kind, counts] : out.kinds)
      RecordProperty(kind + "@" + std::to_string(tokens),
                     std::to_string(counts.first) + " of " + std::to_string(counts.second));
    return out;
  }
};

TEST_F(PlantedFacts, PacksGiveBackWhatWasToldAmongMuchElse) {
  // Floors as measured in docs/benchmarks.md; the goal is 95 of 100.
  const Recovered dev = recover("dev", 2000);
  EXPECT_GE(dev.found * 100, dev.all * 94) << dev.found << " of " << dev.all << dev.missing;
  // Missing facts of the held-out half are not printed: packs must not be tuned to them.
  const Recovered held = recover("held", 2000);
  EXPECT_GE(held.found * 100, held.all * 91) << held.found << " of " << held.all;
  const Recovered small = recover("held", 1000);
  EXPECT_GE(small.found * 100, small.all * 89) << small.found << " of " << small.all;
}

}  // namespace
}  // namespace memd
