#include "daemon/cli/completion.hpp"
#include "daemon/cli/manual.hpp"
#include "daemon/cli/spelling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

class CliCompletion : public testing::Test {
 protected:
  CliCompletion() : commands_(history_commands()) {
    for (Command& command : interchange_commands())
      commands_.push_back(std::move(command));
    global_ = {{"--json", &json_, "Print JSON"}, {"--data-dir", &directory_, "Where the store is", "DIR"}};
  }
  std::vector<std::string> candidates(const std::vector<std::string>& words) const {
    std::vector<std::string> out;
    for (const auto& one : complete(commands_, global_, words).candidates)
      out.push_back(one.text);
    return out;
  }
  Completion::Values values(const std::vector<std::string>& words) const {
    return complete(commands_, global_, words).values;
  }

  std::vector<Command> commands_;
  std::vector<Option> global_;
  bool json_ = false;
  std::string directory_;
};

TEST_F(CliCompletion, CommandsAndOptions) {
  EXPECT_THAT(candidates({"se"}), ElementsAre("search", "sessions"));
  EXPECT_THAT(candidates({""}), IsSupersetOf({"search", "show", "export"}));
  EXPECT_THAT(candidates({"--json", "tim"}), ElementsAre("timeline"));
  EXPECT_THAT(candidates({"search", "--s"}), ElementsAre("--session", "--since"));
  EXPECT_THAT(candidates({"sessions", "-"}), IsSupersetOf({"-n", "--state", "--json", "--help"}));
  EXPECT_THAT(candidates({"export", "-"}), IsSupersetOf({"-o", "--output", "--format"}));
  EXPECT_THAT(candidates({"search", "se"}), IsEmpty()) << "a word to search for";
}

TEST_F(CliCompletion, ValuesOfOptions) {
  EXPECT_THAT(candidates({"export", "--format", ""}),
              ElementsAre("events", "md", "markdown", "html", "json", "session"));
  EXPECT_THAT(candidates({"export", "--format", "=", "h"}), ElementsAre("html")) << "as bash splits it";
  EXPECT_THAT(candidates({"export", "--format=h"}), ElementsAre("--format=html"));
  EXPECT_THAT(candidates({"sessions", "--platform", "c"}), IsSupersetOf({"claude_code", "codex", "cursor"}));
  EXPECT_EQ(values({"export", "latest", "-o", ""}), Completion::Values::files);
  EXPECT_EQ(values({"--data-dir", ""}), Completion::Values::directories);
  EXPECT_EQ(values({"search", "--project", ""}), Completion::Values::projects);
  EXPECT_EQ(values({"search", "--session", ""}), Completion::Values::sessions);
  EXPECT_EQ(values({"summary", ""}), Completion::Values::sessions);
  EXPECT_EQ(values({"file-history", "src/"}), Completion::Values::files);
  EXPECT_EQ(values({"search", "word"}), Completion::Values::none);
}

TEST(CliSpelling, ASlipIsSeen) {
  const std::vector<std::string> names{"search", "sessions", "show", "status", "summary", "topic"};
  EXPECT_EQ(nearest_name("serach", names), "search");
  EXPECT_EQ(nearest_name("sesions", names), "sessions");
  EXPECT_EQ(nearest_name("sumary", names), "summary");
  EXPECT_EQ(nearest_name("shwo", names), "show");
  EXPECT_EQ(nearest_name("sess", names), "sessions");
  EXPECT_EQ(nearest_name("rm", names), "");
  EXPECT_EQ(nearest_name("frobnicate", names), "");
}

TEST(CliManual, SaysWhatHelpSays) {
  for (const Command& command : history_commands()) {
    const std::string page = manual_page(command);
    EXPECT_THAT(page, HasSubstr(".SH SYNOPSIS\n.B memd ")) << command.name;
    for (const Option& option : command.options)
      EXPECT_THAT(page, testing::AnyOf(HasSubstr(option.help), HasSubstr("\\-"))) << option.names;
  }
  bool json = false;
  const std::string page = manual_page(history_commands(), {{"--json", &json, "Print JSON"}});
  for (const char* code : {".B 0\n", ".B 1\n", ".B 2\n", ".B 3\n"})
    EXPECT_THAT(page, HasSubstr(code)) << "an exit code";
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-json\\fR"));
  EXPECT_THAT(page, Not(HasSubstr("\n.search"))) << "no text is taken for a request";
}

}  // namespace
}  // namespace memd::cli
