#include "daemon/setup/service_setup.hpp"

#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace memd::setup {
namespace {

using testing::HasSubstr;
using testing::Not;

ServiceSetup usual() {
  ServiceSetup s;
  s.program = {"/home/ada/.local/bin/memd", {}};
  s.home = "/home/ada";
  s.config_home = "/home/ada/.config";
  s.data_dir = "/home/ada/.local/share/memd";
  s.socket = "/run/user/1000/memd/memd.sock";
  return s;
}

TEST(ServiceSetup, UnitsStartThisProgram) {
  const auto files = service_files(usual());
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ(files->at(0).first, "/home/ada/.config/systemd/user/memd.service");
  EXPECT_THAT(files->at(0).second, HasSubstr("\nExecStart=/home/ada/.local/bin/memd --socket\n"));
  EXPECT_EQ(files->at(1).first, "/home/ada/.config/systemd/user/memd.socket");
  EXPECT_THAT(files->at(1).second, HasSubstr("ListenStream=%t/memd/memd.sock"));
}

TEST(ServiceSetup, AnotherPlaceAndModelsOfServers) {
  ServiceSetup s = usual();
  s.program = {"/opt/my tools/100%/memd", {"--data-dir", "/data/m"}};
  s.data_dir = "/data/m";
  s.socket = "/data/m/memd.sock";
  s.default_data_dir = false;
  s.network = true;
  const auto files = service_files(s);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 3U);
  EXPECT_THAT(files->at(0).second, HasSubstr("\nExecStart=\"/opt/my tools/100%%/memd\" --socket --data-dir /data/m\n"));
  EXPECT_THAT(files->at(0).second, HasSubstr("ReadWritePaths=/data/m"));
  EXPECT_THAT(files->at(0).second, Not(HasSubstr("%h/.local/share/memd")));
  EXPECT_THAT(files->at(1).second, HasSubstr("ListenStream=/data/m/memd.sock"));
  EXPECT_THAT(files->at(2).second, HasSubstr("AF_INET6"));
}

TEST(ServiceSetup, OpensThePlacesOfShares) {
  ServiceSetup s = usual();
  EXPECT_EQ(share_drop_in(s)->second, "");
  s.shared = {"/mnt/100% ours", "/home/ada/$ync", "/mnt/100% ours"};
  const auto directories = share_drop_in(s);
  EXPECT_EQ(directories->first, "/home/ada/.config/systemd/user/memd.service.d/shares.conf");
  EXPECT_THAT(directories->second, HasSubstr("[Service]\nReadWritePaths=-/home/ada/$ync\n"
                                             "ReadWritePaths=\"-/mnt/100%% ours\"\n"));
  EXPECT_THAT(directories->second, Not(HasSubstr("PrivateNetwork")));
  s.shared.emplace_back("bob@server");
  EXPECT_THAT(share_drop_in(s)->second,
              testing::AllOf(HasSubstr("PrivateNetwork=no"), HasSubstr("AF_INET6\nReadWritePaths=-/home/ada/$ync\n")));
  s.shared = {"postgres://ada@db/team"};
  EXPECT_THAT(share_drop_in(s)->second,
              testing::AllOf(HasSubstr("PrivateNetwork=no"), Not(HasSubstr("ReadWritePaths"))));
  EXPECT_EQ(service_files(s)->size(), 2U);
  EXPECT_THAT(all_service_files(s), testing::Contains(share_drop_in(s)->first));
  s.shared = {"/a\nExecStartPre=/bin/rm"};
  EXPECT_FALSE(share_drop_in(s));
  s.mac = true;
  s.shared = {"bob@server"};
  EXPECT_EQ(share_drop_in(s)->second, "");
}

TEST(ServiceSetup, IsInstalledForOneStore) {
  const test::TempDir home;
  ServiceSetup s = usual();
  s.config_home = home.path();
  EXPECT_FALSE(is_installed(s));
  const auto files = service_files(s);
  test::write_file(files->back().first, files->back().second);
  EXPECT_FALSE(is_installed(s));  // it is not enabled
  const auto [link, unit] = service_links(s).back();
  std::filesystem::create_directories(link.parent_path());
  std::filesystem::create_symlink(unit, link);
  EXPECT_TRUE(is_installed(s));
  s.default_data_dir = false;
  s.socket = "/data/m/memd.sock";
  EXPECT_FALSE(is_installed(s));
}

TEST(ServiceSetup, AgentOfLaunchd) {
  ServiceSetup s = usual();
  s.mac = true;
  s.program.arguments = {"--config", "/a<b"};
  const auto files = service_files(s);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().first, "/home/ada/Library/LaunchAgents/dev.memd.plist");
  EXPECT_THAT(files->front().second,
              HasSubstr("<string>/home/ada/.local/bin/memd</string>\n    <string>--socket</string>\n    "
                        "<string>--config</string>\n    <string>/a&lt;b</string>\n"));
  EXPECT_THAT(files->front().second, HasSubstr("<string>/run/user/1000/memd/memd.sock</string>"));
  EXPECT_THAT(files->front().second,
              HasSubstr("<key>StandardErrorPath</key>\n  <string>/home/ada/.local/share/memd/memd.log<"));
  EXPECT_THAT(files->front().second, Not(HasSubstr("/Users/YOU")));
}

TEST(ServiceSetup, LinksOfWhatIsStartedWithTheSession) {
  ServiceSetup s = usual();
  ASSERT_EQ(service_links(s).size(), 2U);
  EXPECT_EQ(service_links(s).front().first, "/home/ada/.config/systemd/user/default.target.wants/memd.service");
  EXPECT_EQ(service_links(s).front().second, "/home/ada/.config/systemd/user/memd.service");
  s.packaged_units = true;
  EXPECT_EQ(service_links(s).back().second, "/usr/lib/systemd/user/memd.socket");
}

TEST(ServiceSetup, RefusesALineBreak) {
  ServiceSetup s = usual();
  s.program.arguments = {"--config", "/a\nExecStartPre=/bin/rm"};
  EXPECT_FALSE(service_files(s));
}

}  // namespace
}  // namespace memd::setup
