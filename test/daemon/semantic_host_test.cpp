#include "daemon/admin/admin_tools.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/models/model_clients.hpp"
#include "schemas/search.hpp"
#include "store/reader.hpp"
#include "store/reader_pool.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/stand_in_server.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <filesystem>

namespace memd::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

std::string prompt_line(int n, std::string_view text) {
  return R"({"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":")" +
         std::string(text) + R"("},"uuid":"00000000-0000-4000-8000-00000000000)" + std::to_string(n) +
         R"(","timestamp":"2026-02-09T06:01:53.253Z","userType":"external","cwd":"/w/p","sessionId":"s","version":"2.1.7","gitBranch":"main"})" +
         "\n";
}

// The complete host, as the daemon and the command line use it.
class SemanticHost : public testing::Test {
 protected:
  SemanticHost() {
    std::filesystem::permissions(data_.path(), std::filesystem::perms::owner_all);
    write_file(home_ / ".claude/projects/-w-p/11111111-1111-4111-8111-111111111111.jsonl",
               prompt_line(1, "The login page is slow when many people sign in") +
                   prompt_line(2, "Please rename the database column") + prompt_line(3, "Bake a chocolate cake"));
  }
  void open(const EmbeddingConfig& config = {}) {
    registry_.reset();
    host_.reset();
    settings_.config.embedding = config;
    registry_ = std::make_unique<mcp::ToolRegistry>();
    host_ = std::make_unique<MemoryHost>(settings_, clock_);
    admin::register_admin_tools(*registry_, *host_, {});
  }
  void ingest(const EmbeddingConfig& config = {}) {
    open(config);
    ASSERT_TRUE(host_->start_ingest());
    report_ = ask("ingest");
  }
  boost::json::object ask(std::string_view tool, std::string_view arguments = "{}") {
    mcp::ToolContext context;
    const auto out = registry_->call(tool, arguments, context);
    EXPECT_FALSE(out.is_error) << out.text;
    text_ = out.text + out.structured;
    return boost::json::parse(out.structured).as_object();
  }
  SearchAnswer search(const std::string& text, SearchMode mode = SearchMode::hybrid) {
    auto reader = host_->readers().acquire(5s);
    SearchQuery query;
    query.asked = search::parse_query(text);
    query.mode = mode;
    auto answer = (*reader)->search(query);
    EXPECT_TRUE(answer) << answer.error().message();
    return answer ? std::move(*answer) : SearchAnswer();
  }
  static EmbeddingConfig ollama(const StandInServer& server) {
    EmbeddingConfig config;
    config.choice = {EmbeddingProvider::ollama, "far"};
    config.endpoint = server.address();
    config.query_timeout_ms = 200;
    return config;
  }

  TempDir home_;
  TempDir data_;
  FakeClock clock_;
  Settings settings_{StoreLayout(data_.path()), false, home_.path(), {}, "", {}};
  std::unique_ptr<MemoryHost> host_;
  std::unique_ptr<mcp::ToolRegistry> registry_;
  std::string text_;
  boost::json::object report_;
};

TEST_F(SemanticHost, ACommandThatIngestsAlsoEnriches) {
  ingest();
  EXPECT_EQ(report_.at("enrichment").at("exchanges").to_number<int>(), 3);
  EXPECT_EQ(report_.at("enrichment").at("pending_vectors").to_number<int>(), 0);
  EXPECT_THAT(text_, HasSubstr(R"("enrichment":{"exchanges":3,)"));
  const auto answer = search("sign-in takes too long", SearchMode::semantic);
  ASSERT_FALSE(answer.hits.empty());
  EXPECT_THAT(answer.hits.front().user_message, HasSubstr("login page"));
  EXPECT_TRUE(answer.semantic.used);
  EXPECT_THAT(answer.semantic.model, HasSubstr("builtin/"));
  EXPECT_EQ(answer.semantic.pending, 0);
}

TEST_F(SemanticHost, StatusAndDoctorSayHowFarItIs) {
  ingest();
  const auto status = ask("status").at("enrichment").as_object();
  EXPECT_EQ(status.at("exchanges").to_number<int>(), 3);
  EXPECT_EQ(status.at("pending_vectors").to_number<int>(), 0);
  EXPECT_THAT(text_, HasSubstr(R"("exchanges":3,"pending_terms":0,"pending_vectors":0,)"));
  ask("doctor");
  EXPECT_THAT(text_, HasSubstr("3 turns have vectors"));
}

TEST_F(SemanticHost, ACommandThatIngestsMakesVectorsOfTheSecondLook) {
  ingest();
  EXPECT_EQ(report_.at("second_look").at("exchanges").to_number<int>(), 3);
  EXPECT_EQ(report_.at("second_look").at("waiting").to_number<int>(), 0);
  const auto status = ask("status").at("second_look").as_object();
  EXPECT_EQ(status.at("made").to_number<int>(), 3);
  EXPECT_EQ(status.at("waiting").to_number<int>(), 0);
  EXPECT_THAT(status.at("model").as_string(), HasSubstr("builtin/"));
  EXPECT_THAT(text_, HasSubstr(R"("exchanges":3,"made":3,"waiting":0,)"));
  ask("doctor");
  EXPECT_THAT(text_, HasSubstr("3 of 3 turns"));

  open();
  EXPECT_EQ(ask("status").at("second_look").at("made").to_number<int>(), 3) << "in a process that only reads, too";
}

TEST_F(SemanticHost, TheSecondLookCanBeTurnedOff) {
  EmbeddingConfig config;
  config.second_look = false;
  ingest(config);
  EXPECT_FALSE(report_.contains("second_look"));
  ask("status");
  EXPECT_THAT(text_, HasSubstr(R"("turned_off_by":"embedding.second_look")"));
  EXPECT_TRUE(ask("doctor").at("ok").as_bool());
  mcp::ToolContext context;
  const auto out = registry_->call("ingest", R"({"second_look":true})", context);
  EXPECT_TRUE(out.is_error);
  EXPECT_THAT(out.text, HasSubstr("off (embedding.second_look)"));
}

TEST_F(SemanticHost, AProcessThatOnlyReadsFindsByMeaningToo) {
  ingest();
  open();
  EXPECT_FALSE(search("sign-in takes too long", SearchMode::semantic).hits.empty());
  EXPECT_EQ(ask("status").at("enrichment").at("exchanges").to_number<int>(), 3);
}

TEST_F(SemanticHost, Disabled) {
  EmbeddingConfig config;
  config.choice.provider = EmbeddingProvider::disabled;
  ingest(config);
  EXPECT_EQ(report_.at("enrichment").at("trouble").as_string(), "");
  const auto answer = search("login page");
  ASSERT_FALSE(answer.hits.empty());
  EXPECT_FALSE(answer.semantic.used);
  EXPECT_THAT(answer.semantic.trouble, HasSubstr("disabled"));
  ask("status");
  EXPECT_THAT(text_, HasSubstr(R"("enrichment":{"model":"","becoming":"","exchanges":0,)"));
  EXPECT_THAT(text_, HasSubstr(R"("turned_off_by":"embedding.provider: disabled")"));
  EXPECT_TRUE(ask("doctor").at("ok").as_bool());
}

// A search gives an answer for any failure of a provider, and reports what is missing.
TEST_F(SemanticHost, ABadProviderCostsMeaningAndNothingElse) {
  if (!ModelClients::available()) GTEST_SKIP() << "built without clients of model servers";
  using Reply = StandInServer::Reply;
  StandInServer server([](const auto& a) { return good_answer(a); });
  ingest(ollama(server));
  EXPECT_EQ(report_.at("enrichment").at("pending_vectors").to_number<int>(), 0);
  EXPECT_TRUE(search("login page").semantic.used);

  Reply html;
  html.content_type = "text/html";
  html.body = "<html></html>";
  Reply not_numbers;
  not_numbers.body = R"({"embeddings":[[NaN,1,2,3,4,5,6,7]]})";
  Reply hanging;
  hanging.hang = true;
  Reply failing;
  failing.status = 500;
  Reply other_dimension;
  other_dimension.body = R"({"embeddings":[[1,2,3]]})";
  for (const auto& [reply, says] : std::vector<std::pair<Reply, std::string>>{{html, "text/html"},
                                                                              {not_numbers, "not valid JSON"},
                                                                              {hanging, "no answer"},
                                                                              {failing, "status 500"},
                                                                              {other_dimension, "dimension"}}) {
    open(ollama(server));  // clears the previous error
    server.answer_with([reply = reply](const auto&) { return reply; });
    const auto answer = search("login page");
    ASSERT_FALSE(answer.hits.empty()) << says;
    EXPECT_FALSE(answer.semantic.used) << says;
    EXPECT_THAT(answer.semantic.trouble, testing::ContainsRegex(says == "dimension" ? "dimension|does not fit" : says));
    EXPECT_FALSE(ask("doctor").at("ok").as_bool()) << says;
  }
  server.close();
  open(ollama(server));
  EXPECT_FALSE(search("login page").hits.empty());
  EXPECT_FALSE(ask("doctor").at("ok").as_bool());
  EXPECT_THAT(text_, HasSubstr("is ollama running there?"));
}

}  // namespace
}  // namespace memd::test
