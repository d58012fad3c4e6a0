#include "daemon/setup/yaml_entry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memd::setup {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

const std::vector<std::string> kCommand{"/x y/memd", "--data-dir", "a b", "--stdio"};

std::string put_yaml(std::string_view text) {
  auto out = with_entry(text, kCommand);
  return out ? *out : "error: " + out.error().context;
}

TEST(YamlEntry, IsPutInAndTakenOut) {
  for (const std::string before :
       {"", "a: 1\n", "a: 1\nextensions:\n  x:\n    enabled: true\n\n# end\nz: 2\n",
        "extensions:\n      x: {enabled: true}\n", "a: 1\r\nextensions:\r\n  x:\r\n    enabled: true\r\n"}) {
    SCOPED_TRACE(before);
    const std::string after = put_yaml(before);
    EXPECT_EQ(put_yaml(after), after);
    EXPECT_EQ(read_entry(after).value(), kCommand);
    EXPECT_EQ(without_entry(after).value(), before);
    EXPECT_EQ(without_entry(before).value(), before);
    EXPECT_TRUE(read_entry(before).value().empty());
  }
  EXPECT_THAT(put_yaml("extensions: {}  # none\n"), StartsWith("extensions:\n  memd:\n    enabled: true\n"));
  EXPECT_THAT(put_yaml("extensions: ~\n"), StartsWith("extensions:\n  memd:\n"));
  EXPECT_THAT(put_yaml("extensions:  # none\nz: 1\n"), StartsWith("extensions:  # none\n  memd:\n"));
  EXPECT_THAT(put_yaml("extensions: {\n}\n"), StartsWith("error: line 1: extensions"));
  EXPECT_THAT(put_yaml("a: 1\nextensions:"), StartsWith("a: 1\nextensions:\n  memd:\n"));
}

TEST(YamlEntry, KeepsWhatOthersPutIntoIt) {
  const std::string there =
      "extensions:\n  memd:\n    # mine\n    enabled: false\n    cmd: /old\n    args:\n    - --old\n    - b\n    envs: "
      "{}\n"
      "  x:\n    enabled: true\n";
  EXPECT_THAT(read_entry(there).value(), ElementsAre("/old", "--old", "b"));
  const std::string after = put_yaml(there);
  EXPECT_EQ(after,
            "extensions:\n  memd:\n    cmd: \"/x y/memd\"\n    args: [\"--data-dir\", \"a b\", \"--stdio\"]\n    # "
            "mine\n    enabled: "
            "false\n    envs: {}\n  x:\n    enabled: true\n");
  EXPECT_EQ(without_entry(after).value(), "extensions:\n  x:\n    enabled: true\n");
}

TEST(YamlEntry, WhatCannotBeEditedIsNamed) {
  EXPECT_THAT(put_yaml("a: 1\nextensions: {x: {enabled: true}}\n"), StartsWith("error: line 2: extensions"));
  EXPECT_THAT(put_yaml("a: 1\nextensions:\n- type: builtin\n"), StartsWith("error: line 2: extensions"));
  EXPECT_THAT(put_yaml("extensions:\n  memd: {cmd: x}\n"), StartsWith("error: line 2: memd"));
  EXPECT_THAT(put_yaml("- a\n"), StartsWith("error: line 1: settings"));
  EXPECT_THAT(put_yaml("a: [1\n"), StartsWith("error: line "));
}

}  // namespace
}  // namespace memd::setup
