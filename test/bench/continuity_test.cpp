#include "bench/continuity/corpus_prefix.hpp"
#include "bench/continuity/report.hpp"
#include "bench/continuity/transcript.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace memd::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Terms identifiers(std::string_view text) {
  Terms out;
  add_identifiers(text, out);
  return out;
}

Terms paths(std::string_view text) {
  Terms out;
  add_paths(text, out);
  return out;
}

TEST(CodeTerms, IdentifiersAreNamesOfCodeAndNotWordsHashesOrFiles) {
  EXPECT_THAT(identifiers("Call openStore with MAX_RETRIES and fmt.Println, then std::vector_of; see TS2345, ENOENT."),
              UnorderedElementsAre("openStore", "MAX_RETRIES", "fmt.Println", "std::vector_of", "TS2345", "ENOENT"));
  EXPECT_THAT(identifiers("run --dry-run on localhost:8080 or port 3000, not --x"),
              UnorderedElementsAre("--dry-run", "8080", "3000"));
  EXPECT_THAT(identifiers("commit 3f2a9bc1d0e4 changed hooks.go. It works, e.g. here. README"), IsEmpty());
}

TEST(CodeTerms, PathsHaveADirectoryAndAnExtensionAndAreNoPatterns) {
  EXPECT_THAT(paths("cat ./src/a.go docs/b.md | grep x && ls src/ go test ./... *.go src/*.ts https://h.io/x.html"),
              UnorderedElementsAre("src/a.go", "docs/b.md"));
}

TEST(CodeTerms, HeadsOfACommandLineAreItsProgramsWithTheirSubcommands) {
  EXPECT_THAT(command_heads("cd /x && FOO=1 go test ./... 2>&1 | tail -20"), UnorderedElementsAre("go test", "tail"));
  EXPECT_THAT(command_heads("git commit -m \"$(cat <<'EOF'\nfix; rm all\nEOF\n)\""),
              UnorderedElementsAre("git commit"));
  EXPECT_THAT(command_heads("git -C /repo status; npm run build || /usr/bin/grep 'a|b' f"),
              UnorderedElementsAre("git", "npm run", "grep"));
}

TEST(CodeTerms, AFlagIsNotNamedByALongerOneNorAWordByAPartOfIt) {
  EXPECT_TRUE(names("use `--dry` now", "--dry"));
  EXPECT_FALSE(names("use --dry-run now", "--dry"));
  EXPECT_FALSE(names("openStores", "openStore"));
}

TEST(CodeTerms, OneWordIsACommandOnlyWhereOneCanStand) {
  EXPECT_FALSE(names_command("we have to find the cause", "find"));
  EXPECT_TRUE(names_command("commands: `find . -name x`", "find"));
  EXPECT_TRUE(names_command("- find", "find"));
  EXPECT_TRUE(names_command("it ran go test for me", "go test"));
}

TEST(FileNames, ATextNamesAFileWhenAReaderKnowsWhichIsMeant) {
  FileNames files;
  for (const char* path : {"/r/cli/hooks.go", "/r/cli/strategy/hooks.go", "/r/cli/root.go"})
    files.add(path);
  EXPECT_EQ(files.canonical("strategy/hooks.go"), "/r/cli/strategy/hooks.go");
  EXPECT_EQ(files.canonical("hooks.go"), "hooks.go") << "could be either";
  EXPECT_TRUE(files.named_in("changed root.go.", "/r/cli/root.go"));
  EXPECT_FALSE(files.named_in("changed hooks.go", "/r/cli/strategy/hooks.go"));
  EXPECT_TRUE(files.named_in("see cli/strategy/hooks.go:12", "/r/cli/strategy/hooks.go"));
  EXPECT_TRUE(files.named_in("/r/cli/strategy/: common.go, hooks.go", "/r/cli/strategy/hooks.go"));
  EXPECT_FALSE(files.named_in("strategy/: common.go\nhooks.go", "/r/cli/strategy/hooks.go"));
  EXPECT_FALSE(files.named_in("see root.go.orig and subroot.go", "/r/cli/root.go"));
}

TEST(FileNames, RelativeAndAbsoluteFormsAreOneFile) {
  FileNames files;
  files.add("/r/cli/root.go");
  files.add("docs/plan.md");
  EXPECT_EQ(files.canonical("cli/root.go"), "/r/cli/root.go");
  EXPECT_EQ(files.canonical("/r/docs/plan.md"), "docs/plan.md");
  EXPECT_EQ(files.canonical("/r/other/docs.md"), "/r/other/docs.md");
  EXPECT_EQ(files.canonical("/r/newdocs/plan.md"), "/r/newdocs/plan.md");
}

TEST(Constraints, ARestatementSharesTheWordsThatCarryTheSubject) {
  const auto found = find_constraints("Hello there my friend. Please don't touch the generated protobuf files!");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(restates("Done.\nI left the generated protobuf files untouched, no touching.", found[0]));
  EXPECT_FALSE(restates("I changed the generated code and the files.", found[0]));
}

// A session with one prompt, a compaction and the work after it.
class CompactedSession : public testing::Test {
 protected:
  CompactedSession() : file(dir.path() / "corpus/.claude/projects/-r/s1.jsonl") {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file);
    out << R"({"type":"user","message":{"content":"Never rename openStore in the public headers."},"timestamp":"2026-02-09T06:00:00Z"})"
           "\n"
        << use("Read", R"("file_path":"/r/store.cpp")")
        << use("Bash", R"("command":"cd /r && make test","description":"x")")
        << R"({"type":"user","message":{"content":[{"type":"tool_result","content":"error in readRow at :8080"}]}})"
           "\n"
        << R"({"type":"system","subtype":"compact_boundary","timestamp":"2026-02-09T06:10:00Z"})"
           "\n"
        << R"({"type":"user","isCompactSummary":true,"message":{"content":"We worked on store.cpp."}})"
           "\n"
        << use("Read", R"("file_path":"/r/store.cpp")")
        << use("Bash", R"("command":"make   test","description":"newName")")
        << R"({"type":"assistant","message":{"content":[{"type":"text","text":"readRow fails; I never rename openStore in public headers."}]}})"
           "\n";
  }

  static std::string use(const std::string& tool, const std::string& input) {
    return R"({"type":"assistant","message":{"content":[{"type":"tool_use","name":")" + tool + R"(","input":{)" +
           input + "}}]}}\n";
  }

  test::TempDir dir;
  std::filesystem::path file;
};

TEST_F(CompactedSession, WhatIsUsedAgainWasThereBeforeAndComesAfter) {
  const Transcript transcript = read_transcript(file);
  const auto found = compactions(transcript, 50);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].platform_summary, "We worked on store.cpp.\n");
  EXPECT_EQ(found[0].next_used.size(), 3u);
  const Known known = read_known(transcript, found[0].boundary);
  const Items items = used_again(transcript, found[0].next_used, known);
  EXPECT_THAT(items[0], ElementsAre("/r/store.cpp"));
  EXPECT_THAT(items[1], ElementsAre("openStore", "readRow"));
  EXPECT_THAT(items[3], ElementsAre("make test"));
  EXPECT_THAT(items[4], ElementsAre("make test"));
  EXPECT_THAT(items[5], ElementsAre("Never rename openStore in the public headers."));
  const Found named = find_items(found[0].platform_summary, items, known);
  EXPECT_THAT(named[0], ElementsAre(true));
  EXPECT_THAT(named[1], ElementsAre(false, false));
  const std::string_view before =
      std::string_view(transcript.bytes).substr(0, transcript.records[found[0].boundary].begin);
  EXPECT_THAT(unknown_before(transcript, found[0].next_used, before), ElementsAre("newName"));
}

TEST_F(CompactedSession, AFileCountsOnceWhicheverFormWasNamedFirst) {
  {
    std::ofstream out(file, std::ios::trunc);
    out << use("Bash", R"("command":"cat src/store.cpp")") << use("Read", R"("file_path":"/r/src/store.cpp")")
        << R"({"type":"system","subtype":"compact_boundary","timestamp":"2026-02-09T06:10:00Z"})"
           "\n"
        << use("Bash", R"("command":"cat src/store.cpp")") << use("Read", R"("file_path":"/r/src/store.cpp")");
  }
  const Transcript transcript = read_transcript(file);
  const auto found = compactions(transcript, 50);
  ASSERT_EQ(found.size(), 1u);
  const Known known = read_known(transcript, found[0].boundary);
  EXPECT_THAT(known.files.paths(), ElementsAre("/r/src/store.cpp"));
  EXPECT_THAT(used_again(transcript, found[0].next_used, known)[0], ElementsAre("/r/src/store.cpp"));
}

TEST_F(CompactedSession, ThePrefixHoldsNothingOfTheBoundaryNorOfWhatCameLater) {
  const auto agents = file.parent_path() / "s1/subagents";
  std::filesystem::create_directories(agents);
  std::ofstream(agents / "agent-a.jsonl") << "{\"timestamp\":\"2026-02-09T06:05:00Z\",\"n\":1}\n"
                                          << "{\"timestamp\":\"2026-02-09T06:15:00Z\",\"n\":2}\n";
  std::ofstream(file.parent_path() / "s0.jsonl") << "{\"timestamp\":\"2026-02-09T05:00:00Z\"}\n{\"untimed\":1}\n"
                                                 << "{\"timestamp\":\"2026-02-09T07:00:00Z\"}\n";
  const Transcript transcript = read_transcript(file);
  const auto found = compactions(transcript, 50);
  const auto home = dir.path() / "home";
  CorpusPrefix prefix(dir.path() / "corpus", home);
  prefix.grow(transcript, found[0].boundary, transcript.records[found[0].boundary].time);
  const auto place = home / ".claude/projects/-r";
  EXPECT_EQ(test::bytes_of(place / "s1.jsonl"),
            transcript.bytes.substr(0, transcript.bytes.find(R"({"type":"system")")));
  EXPECT_EQ(test::bytes_of(place / "s1/subagents/agent-a.jsonl"), "{\"timestamp\":\"2026-02-09T06:05:00Z\",\"n\":1}\n");
  EXPECT_EQ(test::bytes_of(place / "s0.jsonl"), "{\"timestamp\":\"2026-02-09T05:00:00Z\"}\n{\"untimed\":1}\n");
  prefix.append(transcript, found[0].resumed);
  EXPECT_TRUE(test::bytes_of(place / "s1.jsonl").ends_with("We worked on store.cpp.\"}}\n"));
}

TEST(NameWeights, ANameCountsByHowFewSessionsAndProjectsHaveIt) {
  NameWeights weights;
  weights.add_session("p", {"openStore", "parseRow"});
  weights.add_session("p", {"openStore"});
  weights.add_session("q", {"openStore", "fmt.Sprintf"});
  EXPECT_DOUBLE_EQ(weights.of("parseRow"), 1);
  EXPECT_DOUBLE_EQ(weights.of("neverSeen"), 1);
  EXPECT_GT(weights.of("openStore"), 0);
  EXPECT_LT(weights.of("openStore"), 0.3);
  EXPECT_DOUBLE_EQ(weights.of("fmt.Sprintf"), 0) << "of a standard library";
}

std::vector<std::string> cut(std::string_view pack) {
  std::vector<std::string> out;
  for (const PackUnit& unit : pack_units(pack))
    out.emplace_back(unit.text);
  return out;
}

TEST(PackUnits, AreEntriesOfListsAndSentences) {
  EXPECT_THAT(cut("src/: store.cpp e2 (open it, and close it) {openStore:4 readRow} [x1], row.cpp r1\n"),
              ElementsAre("src/: store.cpp e2 (open it, and close it) ", "{openStore:4", " readRow", "} [x1], ",
                          "row.cpp r1\n"));
  EXPECT_THAT(cut("Names: openStore readRow MAX_ROWS --dry-run"),
              ElementsAre("Names: ", "openStore ", "readRow ", "MAX_ROWS ", "--dry-run"));
  EXPECT_THAT(cut("It fails, and nobody knows why. Ask Ada.\n\nDone."),
              ElementsAre("It fails, and nobody knows why. ", "Ask Ada.\n", "Done."));
}

TEST_F(CompactedSession, APackIsWorthWhatIsUsedOfItAgain) {
  const Transcript transcript = read_transcript(file);
  const auto found = compactions(transcript, 50);
  const Known known = read_known(transcript, found[0].boundary);
  const Items items = used_again(transcript, found[0].next_used, known);
  const auto said = said_in(transcript, found[0].next_used);
  const auto worth = [&](std::string_view pack) { return worth_of(pack, items, known, NameWeights(), said); };
  EXPECT_DOUBLE_EQ(worth("./: store.cpp e1, other.cpp r1, third.cpp r1\n").bare_share(), 0);
  EXPECT_DOUBLE_EQ(worth("make test\n").precision(), 1);
  EXPECT_DOUBLE_EQ(worth("It is nice weather today in all of the country.\n").precision(), 0);
  EXPECT_DOUBLE_EQ(worth("Never rename openStore in the public headers.\n").weighted_precision(), 1);
  const Worth bag = worth("readRow someThing otherThing lastThing");
  EXPECT_DOUBLE_EQ(bag.bare_share(), 1);
  EXPECT_DOUBLE_EQ(bag.names_share(), 1);
  const Worth placed = worth("./: store.cpp e1 {readRow someThing}, other.cpp {otherThing}");
  EXPECT_DOUBLE_EQ(placed.bare_share(), 0) << "their file stands beside them";
  EXPECT_GT(placed.names_share(), 0.3);
  EXPECT_DOUBLE_EQ(worth("git log --oneline --format, wc, grep --count").bare_share(), 0) << "so does their program";
  std::vector<JudgedUnit> judged;
  worth_of("Goal:\nNever rename it.\nFiles (e edited, r read):\n./: store.cpp e1\n", items, known, NameWeights(), said,
           &judged);
  const auto sections = sections_of(judged);
  ASSERT_EQ(sections.size(), 3U);
  EXPECT_EQ(sections[1].title, "Goal");
  EXPECT_EQ(sections[2].title, "Files");
  EXPECT_GT(bag.precision(), 0.1);
  EXPECT_LT(bag.precision(), 0.5);
}

}  // namespace
}  // namespace memd::bench
