// Language models in the whole program: used only when configured; their cost is reported; the sessions that they leave
// behind are not ingested.
#include "daemon/admin/admin_tools.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/models/configured_summarizer.hpp"
#include "daemon/models/decision_judge.hpp"
#include "daemon/models/enrichment_worker.hpp"
#include "daemon/models/model_clients.hpp"
#include "daemon/tools/llm_summarizer.hpp"
#include "schemas/language_model.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/stand_in_server.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <chrono>
#include <filesystem>
#include <future>

namespace memd::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kSession = "11111111-1111-4111-8111-111111111111";
constexpr const char* kOwnSession = "22222222-2222-4222-8222-222222222222";

std::string line(const std::string& session, int n, std::string_view type, const std::string& content) {
  return R"({"parentUuid":null,"isSidechain":false,"type":")" + std::string(type) + R"(","message":{"role":")" +
         std::string(type) + R"(","content":)" + boost::json::serialize(boost::json::string(content)) +
         R"(},"uuid":"00000000-0000-4000-8000-)" + session.substr(0, 10) + std::to_string(n) + std::to_string(n) +
         R"(","timestamp":"2026-02-09T06:01:53.253Z","userType":"external","cwd":"/w/p","sessionId":")" + session +
         R"(","version":"2.1.7","gitBranch":"main"})" + "\n";
}

class LlmHost : public testing::Test {
 protected:
  void SetUp() override {
    if (!ModelClients::available()) GTEST_SKIP() << "built without clients of model servers";
  }
  LlmHost() {
    std::filesystem::permissions(data_.path(), std::filesystem::perms::owner_all);
    write_file(transcript(kSession), line(kSession, 1, "user", "The login page is slow") +
                                         line(kSession, 2, "user", "Please rename the column"));
  }
  std::filesystem::path transcript(const std::string& session) const {
    return home_ / (".claude/projects/-w-p/" + session + ".jsonl");
  }
  void ingest(const SummariesConfig& config = {}) {
    registry_.reset();
    host_.reset();
    settings_.config.summaries = config;
    registry_ = std::make_unique<mcp::ToolRegistry>();
    host_ = std::make_unique<MemoryHost>(settings_, clock_);
    admin::register_admin_tools(*registry_, *host_, {});
    ASSERT_TRUE(host_->start_ingest());
    ask("ingest");
  }
  boost::json::object ask(std::string_view tool, std::string_view arguments = "{}") {
    return call(*registry_, tool, arguments);
  }
  boost::json::object call(const mcp::ToolRegistry& registry, std::string_view tool, std::string_view arguments) {
    mcp::ToolContext context;
    const auto out = registry.call(tool, arguments, context);
    EXPECT_FALSE(out.is_error) << tool << ": " << out.text;
    text_ = out.text + out.structured;
    return out.is_error ? boost::json::object() : boost::json::parse(out.structured).as_object();
  }
  static SummariesConfig ollama(const StandInServer& server) {
    SummariesConfig config;
    config.choice = {SummaryProvider::ollama, "m1"};
    config.endpoint = server.address();
    return config;
  }

  TempDir home_;
  TempDir data_;
  FakeClock clock_;
  Settings settings_{StoreLayout(data_.path()), false, home_.path(), {}, "", {}};
  std::unique_ptr<MemoryHost> host_;
  std::unique_ptr<mcp::ToolRegistry> registry_;
  std::string text_;
};

// Sends every kind of request, while a provider is reachable but not chosen.
TEST_F(LlmHost, NobodyIsAskedWhoIsNotConfigured) {
  StandInServer silent([](const auto&) { return StandInServer::Reply(); });
  SummariesConfig config = ollama(silent);
  config.choice = {};  // an address without a provider
  ingest(config);
  EXPECT_EQ(host_->summarizer(), nullptr);
  for (const auto& tool : host_->tools().tools()) {
    mcp::ToolContext context;
    const std::string session = std::string("claude_code:") + kSession;
    for (const std::string& arguments :
         {std::string("{}"), R"({"query":"login"})" + std::string(), R"({"session_id":")" + session + R"("})",
          R"({"session":")" + session + R"("})", std::string(R"({"topic":"login"})"),
          std::string(R"({"since":"2026-01-01"})"), std::string(R"({"ids":["x1"]})")})
      (void)host_->tools().call(tool.info.name, arguments, context);
  }
  for (const char* tool : {"status", "doctor", "coverage", "log", "retention"})
    ask(tool);
  EXPECT_THAT(silent.asked(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(settings_.layout.summaries()));
  ask("status");
  EXPECT_THAT(text_, HasSubstr(R"("summaries":{"models":"")"));
}

TEST_F(LlmHost, OneThatIsConfiguredIsShownAndNotAskedUnasked) {
  StandInServer server([](const auto&) { return StandInServer::Reply(); });
  ingest(ollama(server));
  call(host_->tools(), "capabilities", "{}");
  EXPECT_THAT(text_, HasSubstr("summaries by a language model: ollama/m1"));
  ask("status");
  EXPECT_THAT(
      text_,
      HasSubstr(R"("summaries":{"models":"ollama/m1","requests":0,"failures":0,"tokens":0,"daily_requests":200)"));
  ask("doctor");
  EXPECT_THAT(text_, HasSubstr("ollama/m1: 0 requests today"));
  EXPECT_THAT(server.asked(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(settings_.layout.summaries()));
}

TEST_F(LlmHost, WhatIsSpentAndWhatIsWrongAreShown) {
  StandInServer server([](const auto&) {
    StandInServer::Reply r;
    r.body = R"({"message":{"content":"It is about a login page."},"prompt_eval_count":500,"eval_count":20})";
    return r;
  });
  ingest(ollama(server));
  auto* summarizer = host_->summarizer();
  SessionRow session;
  session.uid = std::string("claude_code:") + kSession;
  SummaryInput input;
  input.user_message = "The login page is slow";
  mcp::ToolContext context;
  const tools::LlmSummaryRequest request{session, std::span(&input, 1), "abstractive"};
  const auto summary = summarizer->summarize(request, context);
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->text, "It is about a login page.");
  const auto status = ask("status").at("summaries").as_object();
  EXPECT_EQ(status.at("requests").to_number<int>(), 1);
  EXPECT_EQ(status.at("tokens").to_number<int>(), 520);
  EXPECT_EQ(status.at("answers").to_number<int>(), 1);

  server.close();
  input.user_message = "Another question";
  EXPECT_FALSE(summarizer->summarize(request, context));
  ask("doctor");
  EXPECT_THAT(text_, AllOf(HasSubstr("is ollama running there?"), HasSubstr("own sentences")));
  EXPECT_THAT(summarizer->unavailable(context), HasSubstr("is ollama running there?"));
}

TEST_F(LlmHost, TheToolGivesWhatTheModelSaysAndGoesOnWithoutIt) {
  StandInServer server([](const auto&) {
    StandInServer::Reply r;
    r.body = R"({"message":{"content":"It is about a login page."},"prompt_eval_count":500,"eval_count":20})";
    return r;
  });
  ingest(ollama(server));
  constexpr const char* kArguments = R"({"strategy":"abstractive"})";
  auto answer = call(host_->tools(), "session_summary", kArguments);
  EXPECT_THAT(std::string(answer.at("summary").as_string()), HasSubstr("It is about a login page."));
  EXPECT_EQ(answer.at("provenance").at("model").as_string(), "ollama/m1");
  EXPECT_EQ(answer.at("provenance").at("model_requests").to_number<int>(), 1);
  const auto prompt = server.asked().at(0).body.at("messages").at(1).at("content").as_string();
  EXPECT_THAT(std::string(prompt), AllOf(HasSubstr("The login page is slow"), HasSubstr("Please rename the column")));
  answer = call(host_->tools(), "session_summary", kArguments);
  EXPECT_TRUE(answer.at("provenance").at("cached").as_bool());
  EXPECT_EQ(server.asked().size(), 1u);

  server.close();
  clock_.advance(1);
  answer = call(host_->tools(), "session_summary", R"({"strategy":"abstractive","style":"topical"})");
  EXPECT_THAT(text_, AllOf(HasSubstr("Quoted, not abstractive"), HasSubstr("is ollama running there?")));
  EXPECT_THAT(text_, HasSubstr("login page"));
}

TEST_F(LlmHost, AKeyThatCannotBeReadIsAProblem) {
  StandInServer server([](const auto&) { return StandInServer::Reply(); });
  SummariesConfig config = ollama(server);
  config.api_key_env = "MEMD_TEST_NO_SUCH_KEY";
  ingest(config);
  ask("doctor");
  EXPECT_THAT(text_, HasSubstr("MEMD_TEST_NO_SUCH_KEY: not set"));
}

// A serving daemon: enrichment analyses the sessions, and a model judges them if configured.
class JudgingHost : public LlmHost {
 protected:
  JudgingHost() {
    write_file(transcript(kSession),
               line(kSession, 1, "user", "We use Redis. <private>The customer is Miller.</private> Go on."));
    std::string secret = line(kOwnSession, 1, "user", "We use the merger file.");
    secret.replace(secret.find("/w/p"), 4, "/w/q");
    write_file(home_ / (".claude/projects/-w-q/" + std::string(kOwnSession) + ".jsonl"), secret);
    settings_.config.exclude.projects = {"/w/q"};
    clock_.set(1'770'616'913'253 + kMsPerDay);
  }
  void serve(const SummariesConfig& config) {
    settings_.config.summaries = config;
    host_ = std::make_unique<MemoryHost>(settings_, clock_, [](const std::function<void()>& work) { work(); });
    registry_ = std::make_unique<mcp::ToolRegistry>();
    admin::register_admin_tools(*registry_, *host_, {});
    ASSERT_TRUE(host_->start_ingest());
    ask("ingest");
    ASSERT_TRUE(host_->enrichment()->block_until_idle(std::chrono::seconds(60)));
  }
};

TEST_F(JudgingHost, SendsWhatMayBeSentAndNothingElse) {
  std::promise<void> asked;
  StandInServer server([&](const auto&) {
    asked.set_value();
    StandInServer::Reply r;
    r.body = R"({"message":{"content":"{\"decisions\": []}"},"prompt_eval_count":500,"eval_count":20})";
    return r;
  });
  settings_.config.judge_decisions = true;
  serve(ollama(server));
  ASSERT_EQ(asked.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
  const auto status = ask("status").at("decisions").as_object();
  EXPECT_TRUE(status.contains("waiting"));
  call(host_->tools(), "capabilities", "{}");
  EXPECT_THAT(text_, HasSubstr("they judge decisions"));
  host_->stop();
  ASSERT_EQ(server.asked().size(), 1u);
  const std::string sent = boost::json::serialize(server.asked()[0].body);
  EXPECT_THAT(sent,
              AllOf(HasSubstr("We use Redis."), testing::Not(HasSubstr("Miller")), testing::Not(HasSubstr("merger"))));
}

TEST_F(JudgingHost, AsksNothingUnlessToldTo) {
  StandInServer server([](const auto&) { return StandInServer::Reply(); });
  serve(ollama(server));
  EXPECT_EQ(host_->judge(), nullptr);
  EXPECT_FALSE(ask("status").contains("decisions"));
  host_->stop();
  EXPECT_THAT(server.asked(), IsEmpty());
}

// A provider that is an agent itself, or a client whose agent answers, writes a transcript of our request.
TEST_F(LlmHost, ASessionThatMemdCausedIsNoHistory) {
  const std::string prompt = std::string(kOwnRequestLine) + "\nSummarise the session below about a login page.";
  const std::string own = line(kOwnSession, 1, "user", prompt) + line(kOwnSession, 2, "user", "The login page again");
  write_file(transcript(kOwnSession), own);
  ingest();
  const auto sessions = call(host_->tools(), "list_sessions", "{}").at("sessions").as_array();
  EXPECT_EQ(sessions.size(), 1u);
  call(host_->tools(), "semantic_search", R"({"query":"login page again"})");
  EXPECT_EQ(text_.find("Summarise the session"), std::string::npos) << text_;
  bool counted = false;
  const auto report = ask("coverage");
  for (const auto& row : report.at("coverage").as_array())
    if (row.at("reason") == "caused by memd") {
      counted = true;
      EXPECT_EQ(row.at("records").to_number<int>(), 2);
      EXPECT_EQ(row.at("bytes").to_number<std::size_t>(), own.size());
    }
  EXPECT_TRUE(counted) << text_;
  EXPECT_THAT(text_, HasSubstr("caused by memd"));
}

}  // namespace
}  // namespace memd::test
