#include "schemas/base/time.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/golden_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace memd {
namespace {

const Adapter& cline() { return *find_adapter(Platform::cline); }

TEST(ClineAdapter, FindsTasksUnderEveryEditor) {
  const HomeLayout home{"/home/ada", {}};
  const auto roots = cline().roots(home);
  for (const std::string place : {".config/Code/User/globalStorage/saoudrizwan.claude-dev",
                                  ".config/VSCodium/User/globalStorage/saoudrizwan.claude-dev",
                                  "Library/Application Support/Cursor/User/globalStorage/saoudrizwan.claude-dev",
                                  "AppData/Roaming/Windsurf/User/globalStorage/saoudrizwan.claude-dev",
                                  ".vscode-server/data/User/globalStorage/saoudrizwan.claude-dev",
                                  ".config/Trae/User/globalStorage/saoudrizwan.claude-dev",
                                  ".config/Antigravity/User/globalStorage/saoudrizwan.claude-dev",
                                  ".config/Code - Insiders/User/globalStorage/saoudrizwan.claude-dev", ".cline/data"}) {
    const auto root = std::filesystem::path("/home/ada") / place;
    EXPECT_NE(std::find(roots.begin(), roots.end(), root), roots.end()) << place;
  }
  EXPECT_EQ(cline().roots({"/home/ada", {"/mnt/old"}}), std::vector<std::filesystem::path>{"/mnt/old"});
}

TEST(ClineAdapter, ForksHaveTheirOwnPlaces) {
  for (const auto& [platform, extension] : {std::pair{Platform::roo_code, "rooveterinaryinc.roo-cline"},
                                            std::pair{Platform::kilo_code, "kilocode.kilo-code"}}) {
    const auto roots = find_adapter(platform)->roots({"/home/ada", {}});
    for (const auto& root : roots)
      EXPECT_EQ(root.filename(), extension);
    const auto place = std::filesystem::path("/home/ada/.config/VSCodium/User/globalStorage") / extension;
    EXPECT_EQ(std::count(roots.begin(), roots.end(), place), 1);
  }
}

// Every file of a task's folder is a hint for its one source. Files beside or below the folder are not.
TEST(ClineAdapter, ATaskIsOneSource) {
  const std::filesystem::path root = "/home/ada/.config/Code/User/globalStorage/saoudrizwan.claude-dev";
  const auto path_of = [&](const std::string& file) {
    const auto candidate = cline().classify(root, root / file);
    return candidate ? candidate->path : std::string();
  };
  const std::string main = (root / "tasks/1769000000000/ui_messages.json").string();
  for (const auto name : {"ui_messages.json", "claude_messages.json", "api_conversation_history.json",
                          "task_metadata.json", "focus_chain_taskid_1769000000000.md"})
    EXPECT_EQ(path_of("tasks/1769000000000/" + std::string(name)), main) << name;
  for (const auto name : {"state/taskHistory.json", "tasks/_index.json", "tasks/1769000000000/ui_messages.json.tmp.1",
                          "tasks/1769000000000/checkpoints/.git/HEAD", "settings/cline_mcp_settings.json"})
    EXPECT_EQ(path_of(name), "") << name;
  EXPECT_FALSE(cline().classify(root, "/home/ada/other/tasks/1/ui_messages.json"));

  const std::filesystem::path data = "/home/ada/.cline/data";
  const auto session = cline().classify(data, data / "sessions/s_1/agent.messages.json");
  ASSERT_TRUE(session);
  EXPECT_EQ(session->path, (data / "sessions/s_1/s_1.messages.json").string());
}

TEST(ClineAdapter, DoesNotLookIntoShadowRepositories) {
  const std::filesystem::path root = "/home/ada/.cline/data";
  EXPECT_TRUE(cline().looks_into(root, root / "tasks"));
  EXPECT_TRUE(cline().looks_into(root, root / "tasks/1769000000000"));
  EXPECT_TRUE(cline().looks_into(root, root / "sessions/s_1"));
  EXPECT_FALSE(cline().looks_into(root, root / "checkpoints"));
  EXPECT_FALSE(cline().looks_into(root, root / "tasks/1769000000000/checkpoints"));
  EXPECT_FALSE(cline().looks_into(root, root / "cache"));
}

SessionUpdate head_of(const std::string& name, const std::string& uid, const Adapter& adapter = cline()) {
  for (const auto& c : test::golden_cases(adapter))
    if (c.name() == name)
      for (const auto& [path, candidate] : c.sources) {
        const auto snapshot = test::decode_snapshot(adapter, candidate, c.files);
        if (const auto it = snapshot.sessions.find(uid); it != snapshot.sessions.end())
          return it->second.batch.sessions.front();
      }
  ADD_FAILURE() << "no session " << uid;
  return {};
}

TEST(ClineAdapter, HeadsTellWhatTheListsAndManifestsSay) {
  const auto task = head_of("native_tools", "cline:1769000000000");
  EXPECT_EQ(task.cwd, "/home/ada/shop");
  EXPECT_EQ(task.model, "claude-sonnet-4-5");
  EXPECT_EQ(task.title, "Add a total to the cart page");
  EXPECT_EQ(task.cost_usd, 0.07);
  // Roo Code stores it beside the task.
  const auto roo =
      head_of("subtask", "roo_code:0b9f3c52-6f5e-4a0e-9d2e-3a1f00c0ffee", *find_adapter(Platform::roo_code));
  EXPECT_EQ(roo.cwd, "/Users/ada/mq");
  EXPECT_EQ(roo.mode, "ask");
  EXPECT_EQ(roo.parent_uid, "roo_code:11111111-2222-4333-8444-555555555555");
  // Without such a list, the working directory is taken from the model's prompt.
  EXPECT_EQ(head_of("xml_years", "cline:1735000000000").cwd, "c:/work/tool");

  const auto lead = head_of("sdk_session", "cline:1769100000000_abc");
  EXPECT_EQ(lead.title, "README summary");
  EXPECT_EQ(lead.title_rank, TitleRank::ai);
  EXPECT_EQ(format_rfc3339(lead.started_at), "2026-01-21T12:00:00.000Z");
  EXPECT_EQ(lead.model, "claude-sonnet-4-6");
  const auto agent = head_of("sdk_session", "cline:1769100000000_abc/agent_7");
  EXPECT_EQ(agent.kind, SessionKind::subagent);
  EXPECT_EQ(agent.parent_uid, lead.session_uid);
  EXPECT_EQ(head_of("sdk_fork", "cline:1769200000000_fork").forked_from, lead.session_uid);
}

// A fork copies messages. Copies have the ids of the originals, and their tokens count once.
TEST(ClineAdapter, ForksRepeatTheFactsOfTheirOrigin) {
  std::map<std::string, std::vector<Event>> events;
  for (const auto& c : test::golden_cases(cline()))
    if (c.name() == "sdk_session" || c.name() == "sdk_fork")
      for (const auto& [path, candidate] : c.sources)
        for (auto& [uid, session] : test::decode_snapshot(cline(), candidate, c.files).sessions)
          events[uid] = session.batch.events;
  const auto& origin = events.at("cline:1769100000000_abc");
  const auto& fork = events.at("cline:1769200000000_fork");
  ASSERT_EQ(fork.size(), 7U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(fork[i].event_id, origin[i].event_id) << fork[i].text;
    EXPECT_EQ(fork[i].usage, TokenUsage{}) << fork[i].text;
  }
  for (std::size_t i = 5; i < fork.size(); ++i)
    for (const Event& e : origin)
      EXPECT_NE(fork[i].event_id, e.event_id);
}

}  // namespace
}  // namespace memd
