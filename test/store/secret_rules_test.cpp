// The data file of secret rules, and what is found without a rule.
#include "schemas/base/ascii.hpp"
#include "schemas/base/embedded.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/text/redaction/secret_finder.hpp"
#include "test/support/canaries.hpp"
#include "test/support/plants.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

namespace memd {
namespace {

using redaction::Secret;
using redaction::SecretFinder;
using redaction::SecretRule;

const std::vector<SecretRule>& rules() { return redaction::secret_finder().rules(); }

std::string unquoted(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == 'n')
      out += '\n', ++i;
    else
      out += text[i];
  return out;
}

std::string masked(const SecretFinder& finder, const std::string& text) {
  std::vector<Secret> found;
  SecretFinder::Signs signs;
  finder.find(text, found, signs);
  std::string out = text;
  for (const Secret& s : found)
    for (std::size_t i = s.begin; i < s.end; ++i)
      out[i] = '*';
  return out;
}

bool comes_back(const SecretFinder& finder, const test::Canary& canary) {
  const std::string out = masked(finder, canary.text);
  return std::any_of(canary.pieces.begin(), canary.pieces.end(),
                     [&](const std::string& piece) { return out.find(piece) != std::string::npos; });
}

TEST(SecretRules, EveryExampleIsMaskedAndNoNearMiss) {
  test::Filler filler(20260209);
  std::size_t examples = 0;
  std::size_t refills = 0;
  for (const SecretRule& rule : rules()) {
    SCOPED_TRACE(rule.kind);
    const auto expect_masked = [&](test::Filler::Text example) {
      ++examples;
      const std::string before = example.text;
      EXPECT_TRUE(redact(example.text)) << before;
      EXPECT_NE(example.text, before);
      std::istringstream lines(example.secret);
      for (std::string line; std::getline(lines, line);)
        EXPECT_EQ(example.text.find(line), std::string::npos) << before << "\n" << example.text;
    };
    for (const auto& pattern : rule.patterns) {
      if (rule.check == SecretRule::Check::pair)
        continue;  // Base64 of a pair is not random text; the rule has an example
      for (const std::string& word : rule.near.empty() ? std::vector<std::string>{""} : rule.near) {
        const auto fill = [&] {
          auto out = filler.fill(pattern);
          if (!word.empty()) out.text.insert(0, word + ": ");
          return out;
        };
        test::Filler::Text filled = fill();
        // Some random texts look like words.
        const bool may_look_like_words =
            rule.check == SecretRule::Check::token || rule.check == SecretRule::Check::random;
        for (int i = 0; i < 8 && may_look_like_words && !has_secret(filled.text); ++i, ++refills)
          filled = fill();
        if (!word.empty()) {
          std::vector<Secret> found;
          SecretFinder::Signs signs;
          SecretFinder({rule}).find(filled.secret, found, signs);
          EXPECT_TRUE(std::none_of(found.begin(), found.end(), [&](const Secret& s) { return s.kind == rule.kind; }))
              << "without " << word;
        }
        expect_masked(filled);
      }
    }
    for (const std::string& example : rule.examples)
      expect_masked(filler.fill(std::string_view(example)));
    EXPECT_FALSE(rule.patterns.empty() && rule.examples.empty());
    EXPECT_FALSE(rule.misses.empty());
    for (const std::string& miss : rule.misses) {
      std::string text = unquoted(miss);
      EXPECT_FALSE(redact(text)) << miss << "\n" << text;
    }
  }
  EXPECT_GT(examples, 150u);
  EXPECT_LE(refills * 20, examples) << "random texts are hardly found";
}

TEST(SecretRules, IdentifiersOfAgentsAreNoSecrets) {
  constexpr int kEach = 200;
  test::Filler filler(20261128);
  std::size_t forms = 0;
  for (const std::string& form : test::Canaries::lines_of(test::source_dir() / "test/secrets/identifiers.txt")) {
    ++forms;
    const redaction::SecretPattern pattern(form, false);
    const bool only_hex = form.find("<alnum") == std::string::npos && form.find("<upnum") == std::string::npos;
    const std::size_t behind_hex = form.ends_with("<hex 12><alnum 14>") ? 14 : only_hex ? 0 : std::string::npos;
    std::size_t masked = 0;
    std::string last;
    for (int i = 0; i < kEach; ++i) {
      std::string id = filler.fill(pattern).text;
      if (behind_hex < id.size())  // programs write hexadecimal digits small
        id = ascii::lowered(id.substr(0, id.size() - behind_hex)) + id.substr(id.size() - behind_hex);
      for (std::string text :
           {"see " + id + " there", "(" + id + "),", "opened `" + id + "`.", "{\"parent\":\"" + id + "\"}",
            "{\"text\":\"{\\\"task\\\":\\\"" + id + "\\\"}\"}", "first\\n" + id + "\\nlast",
            "/home/ada/.local/share/" + id + "/" + id + ".json", "http://127.0.0.1:4096/session/" + id + "/message",
            "--session " + id, "state-" + id + "-export.json", "messageKey: " + id})
        if (const std::string before = text; redact(text)) ++masked, last = before + " -> " + text;
    }
    EXPECT_EQ(masked, 0u) << form << ": " << last;
  }
  EXPECT_GT(forms, 40u);
}

// An identifier is known by its whole form, and a name that tells a secret counts for more. A few of random texts look
// like words.
TEST(SecretRules, WhatOnlyBeginsLikeAnIdentifierIsMasked) {
  test::Filler filler(20261129);
  for (const char* form :
       {"see {ses_<alnum 32>}", "see {prt_<alnum 26>}", "see {ses_<hex 12><alnum 15>}", "see {chatcmpl-<alnum 40>}",
        "see {acme_live_ses_<alnum 26>}", "password={ses_<hex 12><alnum 14>}", "API_TOKEN={prt_<hex 12><alnum 14>}",
        "token: {ses_<hex 12><alnum 14>}"}) {
    int masked = 0;
    for (int i = 0; i < 200; ++i) {
      const auto filled = filler.fill(std::string_view(form));
      std::string text = filled.text;
      const bool has_masked = redact(text);
      EXPECT_EQ(has_masked, text != filled.text) << filled.text;
      masked += text.find(filled.secret) == std::string::npos ? 1 : 0;
    }
    EXPECT_GE(masked, 170) << form;
  }
}

TEST(SecretRules, RulesThatAreNotWellFormedAreRefused) {
  for (const char* text :
       {"find ghp_<alnum 20->", "[x]\nfind ab", "[x]\nfind abc<nothing 3>", "[x]\nfind abc<alnum 3", "[x]\ncheck all",
        "[x]\nfind <alnum 5>", "[x]\nform none abc", "[x\n", "[x]\nwhat is this"}) {
    const std::vector<std::string_view> files{text};
    EXPECT_THROW(redaction::read_secret_rules(files), std::logic_error) << text;
  }
}

// Kinds with a rule, and held-out kinds that only the general rules find: a sensitive key name, a token with a prefix.
TEST(SecretRules, KnownKindsAreFoundAndMostOfThoseKeptAside) {
  std::vector<std::string_view> files;
  for (const auto& file : embedded::secret_rules())
    if (file.name == "secrets.rules") files.push_back(file.text);
  ASSERT_EQ(files.size(), 1u);
  const SecretFinder general(redaction::read_secret_rules(files));
  test::Canaries canaries(20260209);
  std::size_t known = 0;
  std::size_t aside = 0;
  std::size_t aside_back = 0;
  std::set<std::string> kinds;
  for (const test::Canary& canary : canaries.make(10)) {
    kinds.insert(canary.kind);
    const bool back = comes_back(general, canary);
    if (canary.aside) {
      ++aside;
      aside_back += back ? 1 : 0;
    } else {
      ++known;
      EXPECT_FALSE(back) << canary.kind << ": " << canary.text;
    }
    EXPECT_FALSE(comes_back(redaction::secret_finder(), canary)) << canary.kind << ": " << canary.text;
  }
  EXPECT_EQ(kinds.size(), canaries.kinds());
  RecordProperty("known", static_cast<int>(known));
  RecordProperty("aside", static_cast<int>(aside));
  RecordProperty("aside_back", static_cast<int>(aside_back));
  EXPECT_LE(aside_back * 20, aside) << aside_back << " of " << aside;
}

// Names and values apart, options of programs, output, carriers: as a text, and as a part of a record.
TEST(SecretRules, SecretsAreFoundInEveryShape) {
  constexpr int kSeeds = 3;
  struct Count {
    std::size_t planted = 0;
    std::size_t back = 0;
  };
  std::map<std::string, Count> counts;
  for (unsigned seed = 1; seed <= kSeeds; ++seed)
    for (const test::Plant& plant : test::Plants(seed).make(5)) {
      std::string text = plant.text;
      std::string record = test::Plants::in_record(plant.text);
      const bool is_masked = redact(text);
      EXPECT_EQ(is_masked, text != plant.text) << plant.text;
      const std::string before = record;
      const bool is_record_masked = mask_record(record) > 0;
      EXPECT_EQ(is_record_masked, record != before) << before;
      std::string again = text;
      EXPECT_FALSE(redact(again)) << text << "\n" << again;
      Count& count = counts[plant.group];
      count.planted += 2;
      count.back += (test::Plants::survives(plant, text) ? 1U : 0U) + (test::Plants::survives(plant, record) ? 1U : 0U);
    }
  EXPECT_EQ(counts.size(), 5u);
  for (const auto& [group, count] : counts) {
    const std::size_t one_of = group == "bare" ? 5 : 20;  // may be missed
    EXPECT_LE(count.back * one_of, count.planted) << group << ": " << count.back << " of " << count.planted;
  }
}

// Most of these kinds have no rule of their own.
TEST(SecretRules, MostSecretsOfFurtherShapesAreFound) {
  const std::map<std::string, double> least{
      {"assignment", .97}, {"bare", .78}, {"carrier", .9}, {"command", .97}, {"file", .92}};
  std::map<std::string, std::pair<int, int>> counts;  // found, planted
  for (const test::Plant& plant : test::Plants(1).make(3, test::Plants::kLists[1])) {
    std::string text = plant.text;
    redact(text);
    auto& [found, planted] = counts[plant.group];
    found += test::Plants::survives(plant, text) ? 0 : 1;
    ++planted;
  }
  ASSERT_EQ(counts.size(), least.size());
  for (const auto& [group, count] : counts)
    EXPECT_GE(count.first, least.at(group) * count.second) << group << ": " << count.first << " of " << count.second;
}

}  // namespace
}  // namespace memd
