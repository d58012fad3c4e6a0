// The platforms that an answer omits, and the reasons it gives.
#include "daemon/cli/command.hpp"
#include "daemon/config/config.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/tools/capability_matrix.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/tool_services.hpp"
#include "test/support/golden_file.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/tool_fixture.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace memd::test {
namespace {

// Claude Code has all capabilities, Cursor is searchable but has no times, Cline is disabled, Codex has another
// contract version, Grok gives metadata only. All have history with the same words.
class PlatformScope : public ToolFixture {
 protected:
  PlatformScope() {
    adapters.clear();
    const auto add = [&](Platform p, std::vector<Capability> can) -> AdapterDescription& {
      AdapterDescription d;
      d.platform = p;
      d.adapter_version = "1.0.0";
      d.data_completeness = DataCompleteness::full;
      d.capabilities = std::move(can);
      adapters.push_back(d);
      const std::string key(to_string(p));
      fill(store.session({.native_id = key + "-1", .title = "t", .platform = p}), "parser of " + key, 2);
      freshness.rows.push_back({p, kNow - 60'000, kNow - 1000, 1, 0, 0});
      return adapters.back();
    };
    freshness.rows.clear();
    using C = Capability;
    add(Platform::claude_code, {kAllCapabilities.begin(), kAllCapabilities.end()});
    add(Platform::cursor, {C::semantic_search, C::exchange_retrieval});
    add(Platform::cline, {kAllCapabilities.begin(), kAllCapabilities.end()}).status = AdapterStatus::disabled;
    auto& codex = add(Platform::codex, {kAllCapabilities.begin(), kAllCapabilities.end()});
    codex.status = AdapterStatus::unsupported;
    codex.contract_version = "2.0.0";
    add(Platform::grok, {}).data_completeness = DataCompleteness::metadata_only;
  }

  std::string skipped(std::string_view tool, const std::string& arguments) {
    const auto answer = call(tool, arguments);
    std::string out;
    for (const auto& [platform, reason] : answer.at("platforms_skipped").as_object())
      out += std::string(platform) + ": " + str(reason) + "\n";
    return out;
  }
};

constexpr std::string_view kClineAndCodex =
    "cline: disabled in the configuration: platforms.cline.enabled\n"
    "codex: its adapter speaks contract 2.0.0, this memd speaks 1.0.0\n";

TEST_F(PlatformScope, SearchLeavesOutWhatCannotBeSearchedAndSaysWhy) {
  EXPECT_EQ(skipped("semantic_search", R"({"query":"parser"})"),
            std::string(kClineAndCodex) +
                "grok: cannot be searched: its adapter lacks semantic_search (data metadata_only)\n");
  const auto answer = call("semantic_search", R"({"query":"parser","n_results":50})");
  EXPECT_EQ(boost::json::serialize(answer.at("platforms_searched")), R"(["claude_code","cursor"])");
  std::map<std::string, int> hits;
  for (const auto& hit : answer.at("results").as_array())
    ++hits[str(hit.at("platform"))];
  EXPECT_EQ(hits, (std::map<std::string, int>{{"claude_code", 2}, {"cursor", 2}}));
  EXPECT_TRUE(has(text, "grok (cannot be searched"));
}

TEST_F(PlatformScope, OnlyAdaptersWithHistoryAreAskedWhereNothingIsLeftOut) {
  const auto asked = [&] {
    adapters.questions = 0;
    call("semantic_search", R"({"query":"parser"})");
    return adapters.questions.load();
  };
  EXPECT_EQ(asked(), static_cast<int>(platforms().size()));
  std::erase_if(freshness.rows, [](const PlatformFreshness& f) { return f.platform > Platform::cursor; });
  EXPECT_EQ(asked(), 2);
}

TEST_F(PlatformScope, RowsWithoutKnownHistoryAreFoundWhereOthersAreLeftOut) {
  std::erase_if(freshness.rows, [](const PlatformFreshness& f) { return f.platform == Platform::cursor; });
  const auto answer = call("semantic_search", R"({"query":"parser","n_results":50})");
  EXPECT_EQ(answer.at("results").as_array().size(), 4U);
  EXPECT_EQ(boost::json::serialize(answer.at("platforms_searched")), R"(["claude_code"])");
}

TEST_F(PlatformScope, EachToolAsksForItsOwnCapability) {
  const std::string grok_by_time =
      "grok: cannot be asked by time: its adapter lacks temporal_query (data metadata_only)\n";
  EXPECT_EQ(skipped("temporal_query", R"({"since":"2020-01-01"})"),
            "cursor: cannot be asked by time: its adapter lacks temporal_query (data full)\n" +
                std::string(kClineAndCodex) + grok_by_time);
  EXPECT_EQ(call("temporal_query", R"({"since":"2020-01-01"})").at("total_exchanges").as_int64(), 2);
  EXPECT_TRUE(has(skipped("topic_search", R"({"topic":"parser"})"), "grok: cannot be searched"));
  EXPECT_EQ(skipped("list_sessions", "{}"), kClineAndCodex);  // needs no capability
  EXPECT_EQ(call("list_sessions", "{}").at("total").as_int64(), 3);
}

TEST_F(PlatformScope, WhatWasAskedForByNameIsSkippedToo) {
  const auto answer = call("semantic_search", R"({"query":"parser","platforms":["cline","grok"]})");
  EXPECT_TRUE(answer.at("results").as_array().empty());
  EXPECT_TRUE(answer.at("platforms_searched").as_array().empty());
  EXPECT_EQ(answer.at("platforms_skipped").as_object().size(), 2u);
  EXPECT_TRUE(call("list_sessions", R"({"platform":"codex"})").at("sessions").as_array().empty());
}

TEST_F(PlatformScope, ExchangesOfASkippedPlatformAreNotShown) {
  const auto answer = call("recent_turns", R"({"session_id":"grok-1"})");
  EXPECT_EQ(str(answer.at("platforms_skipped").at("grok")),
            "cannot be shown by turn: its adapter lacks exchange_retrieval (data metadata_only)");
  EXPECT_FALSE(has(structured, "parser"));
  const auto shown = call("get_exchange", R"({"ids":["x1","x9"]})");  // the first exchanges of Claude Code and of Grok
  ASSERT_EQ(shown.at("exchanges").as_array().size(), 1u);
  EXPECT_EQ(str(shown.at("exchanges").at(0).at("platform")), "claude_code");
  EXPECT_TRUE(shown.at("platforms_skipped").as_object().contains("grok"));
}

TEST_F(PlatformScope, EveryCapabilityHasItsReason) {
  tools::ToolServices services{pool, clock, freshness, raw, adapters, store.file(), {}, {}};
  std::set<std::string> reasons;
  for (const Capability c : kAllCapabilities) {
    const auto scope = tools::resolve_scope(services, {}, {c, {}});
    ASSERT_TRUE(scope);
    EXPECT_TRUE(scope->includes(Platform::claude_code));
    EXPECT_FALSE(scope->includes(Platform::grok));
    for (const auto& [platform, reason] : scope->skipped)
      if (platform == "grok") {
        reasons.insert(reason.str());
        EXPECT_TRUE(has(reason.str(), to_string(c))) << reason.str();
      }
  }
  EXPECT_EQ(reasons.size(), kAllCapabilities.size());
}

TEST_F(PlatformScope, AnUnknownPlatformIsRefusedWithTheNamesThatThereAre) {
  const std::string said = error("list_sessions", R"({"platforms":["emacs"]})");
  EXPECT_TRUE(has(said, "\"emacs\" is not known")) << said;
  for (const PlatformInfo& p : platforms())
    EXPECT_TRUE(has(said, p.key)) << said;
}

// Imported sessions keep their platform, which may have no source on this machine.
TEST_F(PlatformScope, ImportedHistoryOfAPlatformIsFoundUnderItsName) {
  freshness.rows = {{Platform::imported, kNow - 60'000, kNow - 1000, 1, 0, 0}};
  const auto answer = call("semantic_search", R"({"query":"parser","platform":"claude_code"})");
  EXPECT_EQ(answer.at("results").as_array().size(), 2u);
  EXPECT_EQ(boost::json::serialize(answer.at("platforms_searched")), R"(["claude_code"])");
}

// What a line of a golden case shows if the text stands in it.
struct Sign {
  const char* fact;
  std::string text;
};
const std::vector<Sign> kHeld{{"subagents", R"("kind":"subagent")"},
                              {"files", R"("files":[)"},
                              {"attachments", R"("summary":"[image)"},
                              {"attachments", R"("summary":"[file)"},
                              {"notebooks", R"(.ipynb","access")"},
                              {"mcp", R"("tool":"mcp__)"},
                              {"todos", R"("todos":)"},
                              {"plans", "Plan accepted: "},
                              {"context", R"("context_tokens":)"}};
const std::vector<Sign> kLeftOut{{"checkpoints", "checkpoint"}, {"checkpoints", R"("file_backup")"}};

std::string facts_in(const std::filesystem::path& cases, const std::vector<Sign>& signs, bool left_out) {
  std::set<std::string> found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(cases, none)) {
    std::ifstream lines(entry.path() / "events.json");
    for (std::string line; std::getline(lines, line);)
      for (const Sign& sign : signs)
        if (has(line, sign.text) && has(line, R"("fate":"skipped")") == left_out) found.insert(sign.fact);
  }
  std::string out;
  for (const std::string& fact : found)
    out += (out.empty() ? "" : " ") + fact;
  return out;
}

// Counts the lines of what is an adapter's alone: its folder, its description, or its source in another one's folder.
std::size_t lines_of_adapter(const std::string& key) {
  namespace fs = std::filesystem;
  const fs::path adapters = test::source_dir() / "adapters";
  std::size_t lines = 0;
  for (const auto& entry : fs::recursive_directory_iterator(adapters)) {
    const auto stem = entry.path().stem().string();
    if (!entry.is_regular_file() || stem == "claude_desktop_adapter" != (key == "claude_desktop")) continue;
    if (entry.path().parent_path() != adapters / key && stem != key && stem != key + "_adapter") continue;
    const std::string text = bytes_of(entry.path());
    lines += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  return lines;
}

// Returns adapters/facts.tsv as the golden cases and the sources have it. A count of lines that is a little off stays,
// so that not each change of an adapter changes the file.
std::string facts_of_agents() {
  std::ifstream before(test::source_dir() / "adapters" / "facts.tsv");
  std::map<std::string, std::size_t> known;
  std::string key;
  for (std::string line; std::getline(before, line);)
    if (std::size_t lines = 0; std::istringstream(line) >> key >> lines) known[key] = lines;
  std::string out =
      "# What the golden cases of each agent hold (test_answers writes it): platform, lines of its adapter, facts, "
      "facts "
      "left out.\n";
  for (const PlatformInfo& p : platforms()) {
    key = p.key;
    std::size_t lines = lines_of_adapter(key);
    if (lines * 10 >= known[key] * 9 && lines * 10 <= known[key] * 11) lines = known[key];
    const auto cases = test::source_dir() / "test" / "golden" / key;
    out += key + "\t" + (lines == 0 ? "shared" : std::to_string(lines)) + "\t" + facts_in(cases, kHeld, false) + "\t" +
           facts_in(cases, kLeftOut, true) + "\n";
  }
  return out;
}

TEST(CapabilityMatrix, ThePageInTheDocumentationIsTheOneGenerated) {
  const std::string facts = facts_of_agents();
  expect_golden(test::source_dir() / "adapters" / "facts.tsv", facts);
  expect_golden(test::source_dir() / "docs" / "capabilities.md",
                tools::matrix_markdown(describe_adapters(Config{}), cli::agent_ways(), facts));
}

// The first eight agents were read before their adapters had a frame.
TEST(CapabilityMatrix, AdaptersOfNewAgentsAreSmall) {
  std::vector<std::size_t> lines;
  for (const PlatformInfo& p : platforms())
    if (p.id > Platform::imported)
      if (const std::size_t of_one = lines_of_adapter(std::string(p.key)); of_one > 0) lines.push_back(of_one);
  std::sort(lines.begin(), lines.end());
  ASSERT_GE(lines.size(), 25U);
  EXPECT_LE(lines[lines.size() / 2], 350U);
  EXPECT_LE(lines.back(), 700U);
}

TEST_F(PlatformScope, TheToolSaysTheSameAsTheMatrix) {
  adapters = describe_adapters(Config{});
  adapters.resize(10);  // as many as one answer has room for
  for (const AdapterDescription& d : adapters)
    store.session({.native_id = "aaaa1111", .title = "t", .platform = d.platform});
  const auto answer = call("capabilities", R"({"max_tokens":8000})");
  const std::string table = tools::matrix_table(adapters);
  const std::string page = tools::matrix_markdown(adapters);
  for (const AdapterDescription& d : adapters) {
    const std::string key(to_string(d.platform));
    const auto& told = answer.at("platforms").at(key).as_object();
    EXPECT_EQ(str(told.at("data_completeness")), to_string(d.data_completeness));
    std::string lacks;
    for (const Capability c : kAllCapabilities) {
      const auto& having = answer.at("capability_matrix").at(to_string(c)).as_array();
      if (std::find(having.begin(), having.end(), boost::json::value(key)) == having.end())
        lacks += (lacks.empty() ? "" : ", ") + std::string(to_string(c));
    }
    const std::string row =
        "| `" + key + "` | " + str(told.at("data_completeness")) + " | " + (lacks.empty() ? "–" : lacks) + " |";
    EXPECT_TRUE(has(page, row)) << row;
    EXPECT_TRUE(has(table, key + std::string(12 - key.size(), ' ') + str(told.at("status")))) << table;
    for (const auto& limitation : told.at("limitations").as_array()) {
      EXPECT_TRUE(has(page, "* " + str(limitation) + "\n"));
      EXPECT_TRUE(has(table, "limitation: " + str(limitation) + "\n"));
    }
    EXPECT_FALSE(d.limitations.empty()) << key << ": nothing is without limits";
    EXPECT_FALSE(d.storage_locations.empty()) << key;
  }
}

TEST(CapabilityMatrix, StorageIsToldApartBySystem) {
  AdapterDescription d;
  d.storage_locations = {"~/.config/Cursor/User", "~/Library/Application Support/Cursor/User",
                         "%APPDATA%\\Cursor\\User", "~/.cursor/projects"};
  using System = tools::OperatingSystem;
  EXPECT_EQ(tools::storage_on(d, System::linux_system),
            (std::vector<std::string>{"~/.config/Cursor/User", "~/.cursor/projects"}));
  EXPECT_EQ(tools::storage_on(d, System::macos),
            (std::vector<std::string>{"~/Library/Application Support/Cursor/User", "~/.cursor/projects"}));
  EXPECT_EQ(tools::storage_on(d, System::windows),
            (std::vector<std::string>{"%APPDATA%\\Cursor\\User", "~/.cursor/projects"}));
  d.storage_locations = {"~/.claude/projects", "~/.config/claude/projects"};
  EXPECT_EQ(tools::storage_on(d, System::macos), d.storage_locations);
}

TEST(CapabilityMatrix, ThePageAndTheTableSayWhatWasWatchedOfEachAgent) {
  std::ifstream lines(test::source_dir() / "adapters" / "validation.tsv");
  const auto adapters = describe_adapters(Config{});
  const std::string page = tools::matrix_markdown(adapters);
  const std::string table = tools::matrix_table(adapters);
  int agents = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    std::string platform, version, date, missing;
    std::getline(std::getline(std::getline(std::getline(fields, platform, '\t'), version, '\t'), date, '\t'), missing);
    EXPECT_TRUE(std::any_of(kPlatforms.begin(), kPlatforms.end(), [&](const auto& p) { return p.key == platform; }))
        << line;
    const std::string told = version.empty() ? "never watched at work: " + missing
                                             : "version " + version + " watched at work on " + date +
                                                   "; missing: " + (missing.empty() ? "nothing" : missing);
    if (const std::size_t row = page.find("| `" + platform + "` |"); !version.empty()) {
      ASSERT_NE(row, std::string::npos) << platform;
      EXPECT_TRUE(has(page.substr(row, page.find('\n', row) - row), "| " + version + ", " + date + " |")) << told;
    }
    if (!missing.empty())
      EXPECT_TRUE(
          has(page, (version.empty() ? "Never watched at work: " : "Missing when watched: ") + missing + ".\n"));
    EXPECT_TRUE(has(table, "  agent: " + told + "\n")) << told;
    ++agents;
  }
  EXPECT_GE(agents, 6);
}

TEST(CapabilityMatrix, PlatformsWithoutAnAdapterAreListed) {
  const std::string table = tools::matrix_table({});
  for (const Platform p : platform_ids())
    EXPECT_TRUE(has(table, std::string(to_string(p)) + ": no adapter in this version")) << to_string(p);
}

}  // namespace
}  // namespace memd::test
