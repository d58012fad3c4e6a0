#include "store/text/shell_line.hpp"
#include "store/text/code_names.hpp"

#include <gtest/gtest.h>

namespace memd::continuity {
namespace {

using Lines = std::vector<std::string>;

Lines names_of(std::string_view text) {
  Lines out;
  for_each_code_name(text, [&](std::string_view name) { out.emplace_back(name); });
  return out;
}

TEST(ShellLine, ACommitIsACommandAndNoWordOfAnother) {
  EXPECT_TRUE(runs_commit("cd /w && git commit -am \"fix\""));
  EXPECT_TRUE(runs_commit("make; git commit -m x"));
  EXPECT_FALSE(runs_commit("grep -rn \"git commit\" docs/"));
  EXPECT_FALSE(runs_commit("echo then git commit"));
}

TEST(ShellLine, HeadsAreProgramsWithTheirSubcommands) {
  EXPECT_EQ(command_heads("cd /w && go test ./... 2>&1 | tail -20"), (Lines{"go test", "tail"}));
  EXPECT_EQ(command_heads("GOFLAGS=-mod=mod sudo go build; ls -la"), (Lines{"go build", "ls"}));
  EXPECT_EQ(command_heads("git commit -m \"fix: a; b && c\""), (Lines{"git commit"}));
  EXPECT_EQ(command_heads("/usr/bin/python3 run.py || echo no"), (Lines{"python3 run.py"}));
  EXPECT_EQ(command_heads("cat <<'EOF'\nrm -rf x\nEOF"), (Lines{"cat"}));
  EXPECT_EQ(command_heads("git -C /w/p -c core.pager=cat log -3; make -C build all"), (Lines{"git log", "make all"}));
  EXPECT_EQ(command_heads(""), Lines{});
  EXPECT_EQ(command_heads("\"unclosed"), Lines{});
}

TEST(ShellLine, ThePipeEndOnlyShowsLess) {
  for (const char* line : {"go test ./...", "go test ./... | tail -5", "go test ./... 2>&1 | tail -20 ",
                           "go test ./... 2>&1 | grep -E 'FAIL|ok' | head -3", "go test ./...; echo \"exit: $?\"",
                           "go test ./... 2>/dev/null || true", "go test ./... && echo fine | cat;"})
    EXPECT_EQ(without_pipe_end(line), "go test ./...") << line;
  for (const char* line : {"go test ./... && go vet", "go test -run 'a | tail'", "go list | xargs go test", "", "ls"})
    EXPECT_EQ(without_pipe_end(line), line);
}

TEST(ShellLine, TidyIsOneLineWithoutTheWayThere) {
  EXPECT_EQ(tidy_command("cd /w/p &&  go   test\n ./..."), "go test ./...");
  EXPECT_EQ(tidy_command("cd /w/p"), "cd /w/p");
  EXPECT_EQ(tidy_command("cd /w/p &&"), "cd /w/p &&");
}

TEST(ShellLine, AScriptKeepsItsLines) {
  EXPECT_EQ(tidy_command(" cd /w/p &&\n  go  build ./...  \n\ngo test ./...\n", LineBreaks::stay),
            "go build ./...\ngo test ./...");
  EXPECT_EQ(tidy_command("python -c 'if a:\r\n    b()'", LineBreaks::stay), "python -c 'if a:\n    b()'");
}

TEST(ShellLine, WhatIsWrittenIsNoPartOfTheCommand) {
  EXPECT_EQ(without_here_text("cat <<'EOF' > notes.md one two EOF"), "cat <<'EOF' > notes.md");
  EXPECT_EQ(without_here_text("cat > notes.md << 'EOF' one two EOF"), "cat > notes.md << 'EOF'");
  EXPECT_EQ(without_here_text("python - <<PY import os"), "python - <<PY");
  EXPECT_EQ(without_here_text("ls -la"), "ls -la");
  EXPECT_EQ(without_here_text("cat <<"), "cat <<");
}

TEST(CodeNames, NamesFlagsCodesAndPortsButNoFilesHashesAndWords) {
  EXPECT_EQ(names_of("Call parseConfig() of http.Client in store/reader.cpp, not ordinary words."),
            (Lines{"parseConfig", "http.Client"}));
  EXPECT_EQ(names_of("--dry-run MAX_SIZE ENOENT TS2345 deadbeef01 localhost:8080 toolu_01ab snake_case __init__"),
            (Lines{"--dry-run", "MAX_SIZE", "ENOENT", "TS2345", "8080", "snake_case"}));
  EXPECT_EQ(names_of("std::vector ns::Type"), (Lines{"ns::Type"}));
  EXPECT_EQ(names_of("localhost:80 localhost:123456 port 443"), (Lines{})) << "not told from other numbers";
}

TEST(CodeNames, AreFoundByThemselvesOnly) {
  EXPECT_TRUE(names("run parseConfig now", "parseConfig"));
  EXPECT_FALSE(names("run parseConfigs now", "parseConfig"));
  EXPECT_FALSE(names("--dry-run", "--dry"));
  EXPECT_FALSE(names("", "x"));
  EXPECT_FALSE(names("x", ""));
}

TEST(CodeNames, CutOnesEscapesAndChanceLettersAreNone) {
  EXPECT_EQ(names_of("parseFlags CHECKPOINT_PAT…"), Lines{"parseFlags"});
  EXPECT_EQ(names_of(R"(say \nAuthorName and \nCommitter)"), Lines{"AuthorName"});
  EXPECT_EQ(names_of("romVXEIp8dRKcS AyYnS8spIA4fqJpVyleSk sha256SumOf"), Lines{"sha256SumOf"});
  EXPECT_EQ(names_of("JiraPanel.svelte user_test.exs"), Lines{});
}

}  // namespace
}  // namespace memd::continuity
