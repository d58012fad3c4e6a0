// Ends of sessions in several languages, written for this test (test/labels/ends.tsv).
#include "store/insight/outcome.hpp"
#include "test/support/labels.hpp"
#include "test/support/source_dir.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memd {
namespace {

struct LabelledEnd {
  std::string language;
  bool held = false;
  std::string label;
  SessionEnd end;
};

std::vector<LabelledEnd> read_ends() {
  std::vector<LabelledEnd> out;
  test::for_each_label((test::source_dir() / "test/labels/ends.tsv").string(), 8, [&](const auto& fields) {
    LabelledEnd one{std::string(fields[0]), fields[1] == "held", std::string(fields[2]), {}};
    SessionEnd& end = one.end;
    end.last = SessionEnd::Last::answer;
    end.asked_by_person = true;
    end.files_changed = std::stoi(std::string(fields[4]));
    end.calls = end.files_changed + 1;
    if (fields[5] == "passed") end.tests = RunOutcome::passed;
    if (fields[5] == "failed") end.tests = RunOutcome::failed;
    end.request = fields[6];
    end.answer = fields[7];
    out.push_back(std::move(one));
  });
  return out;
}

// A false success is the worst error: no end that asks, could not, or was not tried is one, in any of the languages.
TEST(JudgeOutcome, EndsInEnglishGermanAndFrench) {
  struct Figures {
    test::Share precision;  // of success
    test::Share recall;
    test::Share right;
  };
  std::map<std::string, Figures> figures;
  for (const LabelledEnd& one : read_ends()) {
    const JudgedOutcome judged = judge_outcome(one.end);
    const std::string value(to_string(judged.value));
    Figures& of = figures[one.language + (one.held ? " held" : " choose")];
    of.right.count(value == one.label);
    if (value == "success") of.precision.count(one.label == "success");
    if (one.label == "success") of.recall.count(value == "success");
    if (one.held) continue;
    EXPECT_EQ(value, one.label) << one.end.answer;
  }
  ASSERT_EQ(figures.size(), 6U);
  test::Share precision;
  test::Share recall;
  for (const auto& [name, of] : figures) {
    std::printf("%s: precision of success %s, recall %s, right %s\n", name.c_str(), test::shown(of.precision).c_str(),
                test::shown(of.recall).c_str(), test::shown(of.right).c_str());
    precision = precision + of.precision;
    recall = recall + of.recall;
  }
  EXPECT_GE(precision.of, 0.95 * precision.all);
  EXPECT_GE(recall.of, 0.8 * recall.all);
}

// An unknown run is no sign, and no earlier run stands for it.
TEST(JudgeOutcome, AnUnknownRunIsNoSign) {
  SessionEnd end;
  end.last = SessionEnd::Last::answer;
  end.request = "add a flag";
  end.answer = "The flag is there.";
  end.tests = RunOutcome::unknown;
  EXPECT_FALSE(judge_outcome(end).signs().has(OutcomeSign::tests_passed));
  EXPECT_FALSE(judge_outcome(end).signs().has(OutcomeSign::tests_failed));
}

}  // namespace
}  // namespace memd
