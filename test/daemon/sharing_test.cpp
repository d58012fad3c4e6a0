// Machines that share a project through a directory: each finds the others' turns, and nothing that is not to be
// shared.
#include "daemon/sharing/sharing.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "daemon/sharing/exchange.hpp"
#include "daemon/sharing/share_place.hpp"
#include "daemon/sharing/sharing_thread.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/base/hash.hpp"
#include "store/read/shares.hpp"
#include "store/reader.hpp"
#include "store/seal/sealed_box.hpp"
#include "test/daemon/sharing_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <memory>
#include <mutex>

namespace memd {
namespace {

namespace fs = std::filesystem;
namespace bj = boost::json;
using namespace std::chrono_literals;
using test::Machine;
using test::SharingTest;
using testing::HasSubstr;
using testing::Not;

TEST_F(SharingTest, FiveMachinesFindEachOthersTurnsWithWhoWroteThem) {
  const std::vector<std::string> words{"walnut", "quartz", "bramble", "lantern", "gondola"};
  const std::vector<std::string> people{"ada", "bob", "cem", "dora", "eve"};
  std::vector<std::unique_ptr<Machine>> machines;
  for (std::size_t i = 0; i < words.size(); ++i) {
    machines.push_back(std::make_unique<Machine>(people[i], 10 * static_cast<int>(i) + 1));
    machines.back()->says(words[i]);
    if (i == 0)
      machines.back()->init(place_.path());
    else
      machines.back()->join(place_.path());
  }
  for (auto& m : machines)
    m->sync();
  const auto all = machines.front()->contents();
  EXPECT_EQ(all.size(), words.size());
  for (std::size_t i = 0; i < machines.size(); ++i) {
    EXPECT_EQ(machines[i]->contents(), all);
    for (std::size_t other = 0; other < words.size(); ++other) {
      const std::string found = machines[i]->search(words[other]);
      EXPECT_THAT(found, HasSubstr(words[other]));
      if (other != i) EXPECT_THAT(found, HasSubstr(people[other] + "@"));
    }
  }
  // A turn later is found, too, and a sync with nothing new writes nothing.
  machines[3]->says("juniper");
  machines[3]->sync();
  machines[1]->sync();
  EXPECT_THAT(machines[1]->search("juniper"), HasSubstr("dora@"));
  const std::size_t before = segments();
  for (auto& m : machines)
    m->sync();
  EXPECT_EQ(segments(), before);
  const auto checked = machines[1]->share({{"action", "verify"}});
  EXPECT_TRUE(checked.at("problems").as_array().empty()) << bj::serialize(checked);
}

TEST_F(SharingTest, ASessionThatTwoMachinesHaveIsThereOnce) {
  Machine ada("ada", 1);
  Machine bob("bob", 1);
  Machine cem("cem", 20);
  ada.says("walnut");
  ada.says("quartz");
  const auto theirs = bob.home().transcript(bob.directory(), 1);
  fs::create_directories(theirs.parent_path());
  fs::copy_file(ada.home().transcript(ada.directory(), 1), theirs);
  bob.read();
  ada.init(place_.path());
  bob.join(place_.path());
  cem.join(place_.path());
  ada.sync();
  cem.sync();
  EXPECT_EQ(ada.contents(), bob.contents());
  EXPECT_EQ(ada.contents(), cem.contents());
  EXPECT_EQ(bob.number("SELECT count(*) FROM sessions WHERE shared_by <> ''"), 0);
  EXPECT_EQ(cem.number("SELECT count(*) FROM sessions WHERE shared_by <> ''"), 1);
}

// It may be a script that asks. Copies of a session come from the machine that has the session.
TEST_F(SharingTest, TwoMachinesMayBeAskedTheSameAtTheSameTime) {
  Machine ada("ada", 1);
  Machine bob("bob", 20);
  Machine cem("cem", 40);
  ada.says("walnut");
  bob.says("walnut");
  ada.init(place_.path());
  bob.join(place_.path());
  cem.join(place_.path());
  ada.sync();
  EXPECT_EQ(ada.contents().size(), 2u);
  for (Machine* other : {&bob, &cem}) {
    EXPECT_EQ(other->contents(), ada.contents());
    EXPECT_EQ(other->number("SELECT count(*) FROM sessions WHERE forked_from <> ''"), 0);
  }
  // A store that is built anew has the same.
  bob.stop();
  ASSERT_TRUE(rebuild_store(bob.settings().layout, find_adapter));
  bob.start();
  EXPECT_EQ(bob.contents(), ada.contents());
}

TEST_F(SharingTest, NothingPrivateExcludedForgottenOrSecretLeaves) {
  Machine ada("ada", 1);
  ada.settings().config.exclude.projects = {"clinic"};
  ada.start();
  const std::string secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  ada.says("walnut", 0, "Use " + secret + " and <private>the merger with Initech</private> for walnut");
  ada.says("umbrella", 1);   // shared, then forgotten
  ada.says("xylophone", 2);  // forgotten before
  ada.home().turn("/home/ada/clinic", 7, 1'800'000'000'000, "zebrafish", "About zebrafish", "Yes.");
  ada.home().turn("/home/ada/other", 8, 1'800'000'000'000, "marzipan", "About marzipan", "Yes.");
  ada.read();
  ASSERT_FALSE(ada.call("forget", {{"session", test::TranscriptHome::session_id(3)}, {"yes", true}}).is_error);
  ada.init(place_.path());
  EXPECT_THAT(at_place(), HasSubstr("walnut"));
  EXPECT_THAT(at_place(), HasSubstr("umbrella"));
  Machine bob("bob", 20);
  bob.join(place_.path());
  EXPECT_THAT(bob.search("umbrella"), HasSubstr("umbrella fail"));
  ASSERT_FALSE(ada.call("forget", {{"session", test::TranscriptHome::session_id(2)}, {"yes", true}}).is_error);
  ada.sync();
  bob.sync();
  Machine cem("cem", 30);  // comes later
  cem.join(place_.path());
  const std::string all = at_place() + test::everything_below(bob.data()) + test::everything_below(cem.data());
  for (const std::string& word : {secret, std::string("Initech"), std::string("umbrella"), std::string("xylophone"),
                                  std::string("zebrafish"), std::string("marzipan")})
    EXPECT_EQ(all.find(word), std::string::npos) << word;
  EXPECT_THAT(cem.search("walnut"), HasSubstr("walnut"));
  EXPECT_EQ(bob.contents().size(), 1u);
}

TEST_F(SharingTest, AnExclusionOfLaterAndAForgottenTurnTakeASessionOut) {
  Machine ada("ada", 1);
  ada.says("walnut", 0);
  ada.says("quartz", 1);
  ada.says("bramble", 2);
  ada.init(place_.path());
  Machine bob("bob", 20);
  bob.join(place_.path());
  EXPECT_EQ(bob.contents().size(), 3u);
  const auto turn = ada.session(1) + "#0";
  ASSERT_FALSE(ada.call("forget", {{"exchanges", bj::array{turn}}, {"yes", true}}).is_error);
  ada.sync();
  bob.sync();
  EXPECT_EQ(bob.contents().size(), 2u);
  EXPECT_THAT(at_place(), Not(HasSubstr("quartz")));
  ada.settings().config.exclude.projects = {test::kSharedProject};
  ada.start();
  ada.sync();
  bob.sync();
  EXPECT_EQ(bob.contents().size(), 0u);
  EXPECT_THAT(at_place(), Not(HasSubstr("walnut")));
}

TEST_F(SharingTest, ASealedShareIsReadByItsMembersOnly) {
  Machine ada("ada", 1);
  ada.says("walnut");
  const auto made = ada.init(place_.path(), true);
  const std::string invitation(made.at("shares").at(0).at("invitation").as_string());
  EXPECT_EQ(invitation.size(), 64u);
  Machine bob("bob", 20);
  // Without the invitation, or with another one.
  EXPECT_TRUE(
      bob.call("share", {{"action", "join"}, {"project", test::kSharedProject}, {"place", place_.path().string()}})
          .is_error);
  EXPECT_TRUE(bob.call("share", {{"action", "join"},
                                 {"project", test::kSharedProject},
                                 {"place", place_.path().string()},
                                 {"invitation", std::string(64, 'a')}})
                  .is_error);
  bob.join(place_.path(), invitation);
  ada.sync();  // puts its key into a box for bob
  bob.says("quartz");
  bob.sync();
  ada.sync();
  EXPECT_EQ(ada.contents(), bob.contents());
  EXPECT_EQ(ada.contents().size(), 2u);
  const std::string all = at_place();
  for (const char* word : {"walnut", "quartz", "parcel/src", "claude_code"})
    EXPECT_THAT(all, Not(HasSubstr(word)));
  // Who can write to the place adds a member of its own: nobody seals for it.
  sharing::Member stranger;
  stranger.machine = "0123456789abcdef";
  stranger.public_key = std::string(64, '1');
  ASSERT_TRUE(sharing::SharePlace::of(place_.path(), test::kSharedProject)->write(stranger));
  ada.says("bramble");
  ada.sync();
  for (const auto& entry : fs::recursive_directory_iterator(place_.path()))
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr(".0123456789abcdef")));
  // After bob has left, he gets no key of what is written then.
  bob.share({{"action", "leave"}});
  ada.says("lantern");
  ada.sync();
  EXPECT_EQ(bob.contents().size(), 2u);
}

TEST_F(SharingTest, WhatCameThroughAShareThatWasLeftIsNotPassedOn) {
  test::TempDir other;
  const std::string same = "/workspaces/parcel";
  Machine ada("ada", 1, same);
  Machine bob("bob", 20, same);
  Machine cem("cem", 30, same);
  ada.says("walnut");
  bob.says("quartz");
  ada.init(place_.path());
  bob.join(place_.path());
  EXPECT_EQ(bob.contents().size(), 2u);
  bob.share({{"action", "leave"}});
  bob.stop();
  ASSERT_TRUE(rebuild_store(bob.settings().layout, find_adapter));
  bob.start();
  bob.init(other.path());
  cem.join(other.path());
  EXPECT_THAT(cem.search("quartz"), HasSubstr("bob@"));
  EXPECT_EQ(cem.contents().size(), 1u);
  EXPECT_THAT(all_of(other.path()), Not(HasSubstr("walnut")));
}

TEST_F(SharingTest, WhatOthersSharedIsInTheProjectOfThisMachine) {
  Machine ada("ada", 1);
  Machine bob("bob", 20);
  ada.says("walnut");
  bob.says("quartz");
  ada.init(place_.path());
  bob.join(place_.path());
  EXPECT_EQ(bob.number("SELECT count(DISTINCT project_pk) FROM sessions"), 1);
  const auto found = bob.ask("semantic_search", {{"query", "walnut"}, {"project", bob.directory()}});
  EXPECT_THAT(found.text, HasSubstr("ada@"));
  // The name stays enough.
  bob.share({{"action", "leave"}});
  bob.join(place_.path());
  // Whoever had no project of the name gets it with the first session there; of two, none is meant.
  Machine cem("cem", 30);
  cem.join(place_.path());
  cem.says("bramble");
  cem.sync();
  EXPECT_EQ(cem.number("SELECT count(DISTINCT project_pk) FROM sessions"), 1);
  EXPECT_THAT(at_place(), HasSubstr("bramble"));
  Machine dora("dora", 40);
  dora.join(place_.path());
  dora.says("lantern");
  dora.home().turn("/home/dora/private/parcel", 47, 1'800'000'000'000, "marzipan", "About marzipan", "Yes.");
  dora.read();
  const bj::object sync{{"action", "sync"}, {"project", test::kSharedProject}};
  EXPECT_THAT(dora.call("share", sync).text, HasSubstr("private/parcel"));
  EXPECT_THAT(at_place(), Not(HasSubstr("marzipan")));
}

TEST_F(SharingTest, WhatANewMachineHasNotReadYetIsNoReasonToShareAllOfTheName) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  Machine bob("bob", 20);
  bob.home().turn("/home/bob/src/parcel", 20, 1'800'000'000'000, "quartz", "About quartz", "Yes.");
  bob.home().turn("/home/bob/private/parcel", 21, 1'800'000'000'000, "marzipan", "About marzipan", "Yes.");
  const bj::object join{{"action", "join"}, {"place", place_.path().string()}, {"project", test::kSharedProject}};
  EXPECT_THAT(bob.call("share", join).text, HasSubstr("private/parcel"));
  EXPECT_THAT(at_place(), Not(HasSubstr("marzipan")));
}

// Who can write to the place, and does not know the invitation.
TEST_F(SharingTest, NobodyWritesIntoASealedShareWithoutItsInvitation) {
  Machine ada("ada", 1);
  ada.says("walnut");
  const auto made = ada.init(place_.path(), true);
  const std::string invitation(made.at("shares").at(0).at("invitation").as_string());
  Machine bob("bob", 20);
  bob.join(place_.path(), invitation);
  ada.sync();
  bob.sync();
  EXPECT_EQ(bob.contents(), ada.contents());
  const auto place = sharing::SharePlace::of(place_.path(), test::kSharedProject).value();
  const std::string machine = place.machines().at(0);
  sharing::Segment word;
  word.head.share = place.share()->share;
  word.head.machine = machine;
  word.head.session_id = ada.session();
  word.head.out = true;
  const auto forge = [&](const seal::Cipher* cipher) {
    const std::string file = sharing::encode(word, cipher);
    EXPECT_TRUE(place.write_segment(machine, sharing::name_of(file), file));
    const auto done = bob.sync();
    EXPECT_EQ(bob.contents().size(), 1u);
    EXPECT_TRUE(place.remove_segment(machine, sharing::name_of(file)));
    return bj::serialize(done.at("problems"));
  };
  EXPECT_THAT(forge(nullptr), HasSubstr("not sealed"));
  // A key of the stranger's own, in boxes for all.
  const std::string key = seal::new_key().value();
  const auto cipher = seal::Cipher::from_key(key).value();
  for (const auto& member : place.members())
    ASSERT_TRUE(place.write_key(machine, hexadecimal(cipher->key_id()) + "." + member.machine,
                                seal::seal_box(member.public_key, key).value()));
  EXPECT_THAT(forge(cipher.get()), HasSubstr("not sealed for this machine"));
  // Sealing is not switched off for whoever joins.
  auto open = place.share().value();
  open.sealed = false;
  ASSERT_TRUE(place.write("share.json", mcp::to_json(open)));
  Machine cem("cem", 30);
  cem.says("quartz");
  EXPECT_THAT(cem.call("share", {{"action", "join"},
                                 {"project", test::kSharedProject},
                                 {"place", place_.path().string()},
                                 {"invitation", invitation}})
                  .text,
              HasSubstr("anybody could read it"));
  EXPECT_THAT(at_place(), Not(HasSubstr("quartz")));
}

TEST_F(SharingTest, WhatWasForgottenOfOthersIsNowhereOnThisMachine) {
  Machine ada("ada", 1);
  ada.says("walnut", 0);
  ada.says("quartz", 0);
  ada.says("bramble", 1);
  ada.init(place_.path());
  Machine bob("bob", 20);
  bob.join(place_.path());
  const auto inbox = [&] { return all_of(bob.data() / "shared/sessions"); };
  EXPECT_THAT(inbox(), HasSubstr("quartz"));
  ASSERT_FALSE(bob.call("forget", {{"exchanges", bj::array{ada.session() + "#1"}}, {"yes", true}}).is_error);
  EXPECT_THAT(inbox(), testing::AllOf(Not(HasSubstr("quartz")), HasSubstr("walnut")));
  ASSERT_FALSE(bob.call("forget", {{"text", "Because of bramble"}, {"yes", true}}).is_error);
  EXPECT_THAT(inbox(), testing::AllOf(Not(HasSubstr("Because of bramble")), HasSubstr("fail?")));
  bob.sync();
  bob.stop();
  ASSERT_TRUE(rebuild_store(bob.settings().layout, find_adapter));
  bob.start();
  bob.sync();
  EXPECT_THAT(bob.search("quartz"), Not(HasSubstr("Why does quartz fail")));
  EXPECT_EQ(bob.contents().size(), 2u);
}

TEST_F(SharingTest, WhatAPlaceHasLostIsWrittenAnew) {
  Machine ada("ada", 1);
  ada.says("walnut", 0);
  ada.says("quartz", 1);
  ada.init(place_.path());
  bool cut = false;
  for (const auto& entry : fs::recursive_directory_iterator(place_.path()))
    if (entry.path().extension() == sharing::kSegmentEnding && !std::exchange(cut, true))
      fs::resize_file(entry.path(), 40);
    else if (entry.path().extension() == sharing::kSegmentEnding)
      fs::remove(entry.path());
  EXPECT_EQ(ada.sync().at("sent_segments"), 2);
  EXPECT_TRUE(ada.share({{"action", "verify"}}).at("problems").as_array().empty());
  Machine bob("bob", 20);
  bob.join(place_.path());
  EXPECT_EQ(bob.contents(), ada.contents());
  // All of it: a share of the same name that is begun anew knows nothing of the one before.
  fs::remove_all(place_.path() / "parcel.memd");
  ada.init(place_.path());
  Machine cem("cem", 30);
  cem.join(place_.path());
  EXPECT_EQ(cem.contents(), ada.contents());
}

TEST_F(SharingTest, OnePlaceThatIsAwayKeepsNoOtherWaitingAndCanBeLeft) {
  test::TempDir other;
  Machine ada("ada", 1);
  ada.init(other.path());
  ada.init(place_.path());
  fs::remove_all(other.path() / "parcel.memd");
  ada.says("walnut");
  const bj::object sync{{"action", "sync"}, {"project", test::kSharedProject}};
  const auto tried = ada.call("share", sync);
  EXPECT_TRUE(tried.is_error);
  EXPECT_THAT(tried.text, HasSubstr(other.path().string()));
  EXPECT_THAT(at_place(), HasSubstr("walnut"));
  const auto left = ada.share({{"action", "leave"}, {"place", other.path().string()}});
  EXPECT_THAT(bj::serialize(left.at("problems")), HasSubstr("were not told"));
  EXPECT_EQ(ada.number("SELECT count(*) FROM shares"), 1);
}

TEST_F(SharingTest, NamesAndVersionsOfOtherMachines) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  fs::rename(place_.path() / "parcel.memd", place_.path() / "Parcel.memd");
  Machine bob("bob", 20);
  bob.says("quartz");
  bob.join(place_.path());
  EXPECT_EQ(bob.contents().size(), 2u);
  const auto place = sharing::SharePlace::of(place_.path(), "Parcel").value();
  const std::string newer = "memd segment 2 something else";
  ASSERT_TRUE(place.write_segment("0123456789abcdef", sharing::name_of(newer), newer));
  EXPECT_THAT(bj::serialize(bob.sync().at("problems")), HasSubstr("of a newer memd"));
  const std::string name(200, 'x');  // would be none of a file
  test::write_file(place.directory() / "segments" / name / "x.segment", "");
  bob.sync();
  auto file = place.share().value();
  file.v = 2;
  ASSERT_TRUE(place.write("share.json", mcp::to_json(file)));
  const bj::object sync{{"action", "sync"}, {"project", test::kSharedProject}};
  EXPECT_THAT(bob.call("share", sync).text, HasSubstr("of a newer memd"));
  ASSERT_TRUE(place.write("share.json", "<<<<<<< HEAD"));
  EXPECT_THAT(bob.call("share", sync).text, HasSubstr("share.json is damaged"));
}

TEST_F(SharingTest, ADirectoryOfAGroupStaysOne) {
  fs::permissions(place_.path(), static_cast<fs::perms>(02770));
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  for (const auto& entry : fs::recursive_directory_iterator(place_.path()))
    EXPECT_EQ(static_cast<unsigned>(entry.status().permissions()), entry.is_directory() ? 02770U : 0660U)
        << entry.path();
}

TEST_F(SharingTest, AnotherProjectOfTheSameNameStaysHere) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.home().turn("/home/ada/private/parcel", 7, 1'800'000'000'000, "marzipan", "About marzipan", "Yes.");
  ada.read();
  const bj::object by_name{{"action", "init"}, {"place", place_.path().string()}, {"project", test::kSharedProject}};
  EXPECT_THAT(ada.call("share", by_name).text, HasSubstr("private/parcel"));
  const auto made =
      ada.call("share", {{"action", "init"}, {"place", place_.path().string()}, {"project", "/home/ada/src/parcel"}});
  ASSERT_FALSE(made.is_error) << made.text;
  EXPECT_THAT(at_place(), HasSubstr("walnut"));
  EXPECT_THAT(at_place(), Not(HasSubstr("marzipan")));
}

TEST_F(SharingTest, APartOfANameLeavesNothing) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  EXPECT_TRUE(ada.call("share", {{"action", "leave"}, {"project", "parc"}}).is_error);
  EXPECT_EQ(ada.number("SELECT count(*) FROM shares"), 1);
  EXPECT_FALSE(ada.call("share", {{"action", "leave"}, {"project", ada.directory()}}).is_error);
  EXPECT_EQ(ada.number("SELECT count(*) FROM shares"), 0);
}

TEST_F(SharingTest, LinesOfAnotherSessionAreNotTaken) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  fs::path file;
  for (const auto& entry : fs::recursive_directory_iterator(place_.path()))
    if (entry.path().extension() == sharing::kSegmentEnding) file = entry.path();
  auto forged = sharing::decode(test::bytes_of(file), {}).value();
  forged.head.session_id = "claude_code:forged";
  const std::string text = sharing::encode(forged, nullptr);
  test::write_file(file.parent_path() / sharing::name_of(text), text);
  fs::remove(file);
  Machine bob("bob", 20);
  const auto joined = bob.join(place_.path());
  EXPECT_EQ(joined.at("waiting"), 1);
  EXPECT_THAT(bj::serialize(joined.at("problems")), HasSubstr("lines of another session"));
  EXPECT_TRUE(bob.contents().empty());
}

TEST_F(SharingTest, WithNothingNewNoRowsAreRead) {
  Machine ada("ada", 1);
  Machine bob("bob", 20);
  ada.says("walnut");
  ada.init(place_.path());
  bob.join(place_.path());
  auto sharing = sharing::Sharing::open(ada.host()).value();
  const ShareRow share = Reader::in_background(ada.settings().layout.database()).ask(SharesQuery{})->at(0);
  const auto is_quiet_after_a_sync = [&] {
    ada.wait_a_while();
    const bool was_quiet = sharing.is_as_before(share);
    while (sharing.sync(share, {})->taken_segments > 0) {
    }
    EXPECT_TRUE(sharing.is_as_before(share));
    return was_quiet;
  };
  EXPECT_FALSE(is_quiet_after_a_sync());
  EXPECT_TRUE(is_quiet_after_a_sync());
  bob.says("quartz");
  bob.sync();
  EXPECT_FALSE(is_quiet_after_a_sync());
  EXPECT_THAT(ada.search("quartz"), HasSubstr("bob@"));
  ada.says("bramble");
  EXPECT_FALSE(sharing.is_as_before(share));
  ASSERT_FALSE(ada.call("forget", {{"session", test::TranscriptHome::session_id(1)}, {"yes", true}}).is_error);
  EXPECT_FALSE(sharing.is_as_before(share));
}

// Two clones of a repository: what is pushed at once are different files.
TEST_F(SharingTest, DirectoriesThatAreMergedByFileGiveTheSame) {
  test::TempDir other;
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  const auto merge = [](const fs::path& from, const fs::path& to) {
    for (const auto& entry : fs::recursive_directory_iterator(from)) {
      const auto there = to / entry.path().lexically_relative(from);
      if (entry.is_directory()) fs::create_directories(there);
      if (!entry.is_regular_file()) continue;
      if (fs::exists(there))
        EXPECT_EQ(test::bytes_of(there), test::bytes_of(entry.path())) << "a conflict: " << there;
      else
        fs::copy_file(entry.path(), there);
    }
  };
  merge(place_.path(), other.path());
  Machine bob("bob", 20);
  bob.join(other.path());
  // Both write meanwhile, for a month.
  for (int day = 0; day < 30; ++day) {
    ada.says("acorn" + std::to_string(day), day % 3);
    bob.says("pebble" + std::to_string(day), day % 2);
    if (day % 10 == 9) ada.sync(), bob.sync();
  }
  ada.sync();
  bob.sync();
  merge(place_.path(), other.path());
  merge(other.path(), place_.path());
  ada.sync();
  bob.sync();
  EXPECT_EQ(ada.contents(), bob.contents());
  EXPECT_EQ(ada.contents().size(), 61u);
}

TEST_F(SharingTest, AStoreOfABackupGetsBackWhatItHadShared) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  ada.stop();
  test::TempDir backup;
  fs::copy(ada.data(), backup.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  const auto transcript = ada.home().transcript(ada.directory(), 1);
  const std::string older = test::bytes_of(transcript);
  ada.start();
  ada.says("quartz");
  ada.sync();
  const auto all = ada.contents();
  ada.stop();
  for (const auto& entry : fs::directory_iterator(ada.data()))
    fs::remove_all(entry.path());
  fs::copy(backup.path(), ada.data(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  std::ofstream(transcript, std::ios::binary) << older;
  ada.start();
  EXPECT_EQ(ada.contents().size(), 1u);
  ada.sync();
  EXPECT_EQ(ada.contents(), all);
  ada.says("bramble");
  ada.sync();
  Machine bob("bob", 20);
  bob.join(place_.path());
  EXPECT_EQ(bob.contents(), ada.contents());
  EXPECT_EQ(bob.contents().size(), 3u);
}

TEST_F(SharingTest, AHostGivesAnOlderCopyWhatItHadAndRemovesWhatItTookAway) {
  const auto host = sharing::SharePlace::of(place_.path(), "parcel").value();
  const std::string path = "segments/00000000000000aa/" + std::string(64, 'a') + ".segment";
  ASSERT_TRUE(host.write(path, "bytes"));
  const auto ask = [&](const sharing::Message& request) {
    const auto answered = sharing::answer(host, sharing::to_text(request), [](const auto&) { return Result<void>(); });
    return sharing::parse_message(answered.value()).value();
  };
  sharing::Message request;
  request.machine = "00000000000000aa";
  EXPECT_EQ(ask(request).files, (std::map<std::string, std::string>{{path, "bytes"}}));
  request.gone = {path};
  EXPECT_TRUE(ask(request).files.empty());
  EXPECT_FALSE(host.read(path));
}

TEST_F(SharingTest, WhatIsExportedCanBeJoined) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  test::TempDir carried;
  const auto out = ada.share({{"action", "export"}, {"to", carried.path().string()}});
  EXPECT_THAT(std::string(out.at("change").as_string()), HasSubstr(carried.path().string()));
  Machine bob("bob", 20);
  bob.join(carried.path());
  EXPECT_EQ(bob.contents(), ada.contents());
  test::TempDir other;
  Machine cem("cem", 30);
  cem.init(other.path());
  const bj::object over{{"action", "export"}, {"project", test::kSharedProject}, {"to", other.path().string()}};
  EXPECT_THAT(ada.call("share", over).text, HasSubstr("another share"));
}

// The state after a kill between any two steps of a sync: segments without rows, lines without rows, half a line.
TEST_F(SharingTest, AKillInTheMiddleOfASyncLosesAndDoublesNothing) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  ada.says("quartz");
  ada.stop();
  const std::string rows = test::bytes_of(ada.settings().layout.database());
  ada.start();
  ada.sync();
  ada.stop();
  for (const char* end : {"-wal", "-shm"})
    fs::remove(ada.settings().layout.database().string() + end);
  std::ofstream(ada.settings().layout.database(), std::ios::binary) << rows;
  ada.start();
  ada.sync();
  Machine bob("bob", 20);
  bob.join(place_.path());
  EXPECT_EQ(bob.contents(), ada.contents());
  EXPECT_EQ(bob.contents().size(), 2u);
  for (const auto& log : fs::directory_iterator(bob.data() / "shared/sessions"))
    std::ofstream(log.path(), std::ios::binary | std::ios::app) << R"({"v":1,"id":"evt_1","ts":"2026)";
  ada.says("bramble");
  ada.sync();
  bob.sync();
  EXPECT_EQ(bob.contents(), ada.contents());
}

TEST_F(SharingTest, ADamagedSegmentWaitsAndIsNamed) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  fs::path segment;
  for (const auto& entry : fs::recursive_directory_iterator(place_.path()))
    if (entry.path().extension() == sharing::kSegmentEnding) segment = entry.path();
  const std::string whole = test::bytes_of(segment);
  std::ofstream(segment, std::ios::binary) << whole.substr(0, whole.size() / 2);
  Machine bob("bob", 20);
  const auto joined = bob.join(place_.path());
  EXPECT_EQ(joined.at("waiting").as_int64(), 1);
  EXPECT_FALSE(ada.share({{"action", "verify"}}).at("problems").as_array().empty());
  std::ofstream(segment, std::ios::binary) << whole;
  bob.sync();
  EXPECT_EQ(bob.contents(), ada.contents());
}

// A joined daemon: the thread writes after a commit, and takes in when its place changes.
TEST_F(SharingTest, AThreadSyncsByItself) {
  Machine ada("ada", 1);
  Machine bob("bob", 20);
  ada.init(place_.path());
  bob.join(place_.path());
  std::promise<void> watches;
  std::once_flag once;
  sharing::SharingThread of_ada(ada.host(), {});
  sharing::SharingThread of_bob(bob.host(), [&](const auto&) { std::call_once(once, [&] { watches.set_value(); }); });
  of_ada.start();
  of_bob.start();
  ASSERT_EQ(watches.get_future().wait_for(60s), std::future_status::ready);
  ada.says("walnut");
  of_ada.hint();
  const auto has_it = [&] {
    return bob.number("SELECT count(*) FROM exchanges WHERE user_message LIKE '%walnut%'") > 0;
  };
  const auto until = std::chrono::steady_clock::now() + 30s;
  while (!has_it() && std::chrono::steady_clock::now() < until)
    of_bob.hint();
  EXPECT_TRUE(has_it());
  of_ada.stop();
  of_bob.stop();
}

}  // namespace
}  // namespace memd
