// A server over stdin and stdout for test/e2e: tools that query the client's own model, and the features that the
// protocol's conformance suite expects of a server.
#include "protocol/mcp/server.hpp"
#include "schemas/base/error.hpp"
#include "test/support/asking_tools.hpp"
#include "test/support/sample_offers.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace memd::test {

struct SaidResult {
  std::string said;
};
inline std::string render_text(const SaidResult& r) { return r.said; }

struct PromptParams {
  std::string prompt = "What is the capital of France?";
};
struct DataParams {
  std::string id;
};
struct PairParams {
  std::string arg1;
  std::string arg2;
};

}  // namespace memd::test

MEMD_DESCRIBE(memd::test::SaidResult, field<&T::said>("What was said."));
MEMD_DESCRIBE(memd::test::PromptParams, field<&T::prompt>("What to ask."));
MEMD_DESCRIBE(memd::test::DataParams, field<&T::id>("Which.", required));
MEMD_DESCRIBE(memd::test::PairParams, field<&T::arg1>("First.", required), field<&T::arg2>("Second.", required));

namespace memd::test {
namespace {

using mcp::ToolContext;

Result<SaidResult> ask_once(const PromptParams& p, ToolContext& context) {
  if (context.client_model == nullptr) return Error(Errc::invalid_argument, "the client offers no model");
  const CompletionRequest request{"", p.prompt, 100};
  const auto answers = context.client_model->complete({&request, 1}, context.stop);
  if (!answers) return answers.error();
  return SaidResult{"LLM response: " + answers->front().text};
}

Result<SaidResult> work_in_steps(const Nothing&, ToolContext& context) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  for (const double done : {0.0, 50.0, 100.0}) {
    context.progress(done, 100, "step");
    never.wait_for(lock, context.stop, std::chrono::milliseconds(60), [] { return false; });
  }
  return SaidResult{"done"};
}

void add_tools(mcp::ToolRegistry& tools) {
  add_asking_tools(tools);
  tools.add<Nothing, SaidResult>(sample_info("test_simple_text"), [](const Nothing&, ToolContext&) {
    return Result<SaidResult>(SaidResult{"This is a simple text response for testing."});
  });
  tools.add<Nothing, SaidResult>(sample_info("test_error_handling"), [](const Nothing&, ToolContext&) {
    return Result<SaidResult>(Error(Errc::invalid_argument, "This tool intentionally returns an error for testing"));
  });
  tools.add<Nothing, SaidResult>(sample_info("test_tool_with_progress"), work_in_steps);
  for (const auto* name :
       {"test_sampling", "test_input_required_result_sampling", "test_input_required_result_request_state"})
    tools.add<PromptParams, SaidResult>(sample_info(name), ask_once);
}

void add_resources(mcp::ResourceRegistry& resources) {
  mcp::ResourceInfo data;
  data.uri_template = "test://template/{id}/data";
  data.name = "data";
  data.description = "Data by id.";
  data.mime_type = "application/json";
  resources.add<DataParams>(
      std::move(data),
      [](const DataParams& p, ToolContext&) {
        return Result<std::string>(R"({"id":")" + p.id + R"(","templateTest":true,"data":"Data for ID: )" + p.id +
                                   R"("})");
      },
      [](const DataParams&, ToolContext&) { return mcp::ResourceRegistry::Version(1); });
  for (const auto* uri : {"test://static-text", "test://watched-resource"}) {
    mcp::ResourceInfo text;
    text.uri_template = uri;
    text.name = "text";
    text.description = "A text.";
    text.mime_type = "text/plain";
    resources.add<Nothing>(
        std::move(text),
        [](const Nothing&, ToolContext&) {
          return Result<std::string>("This is the content of the static text resource.");
        },
        [](const Nothing&, ToolContext&) { return mcp::ResourceRegistry::Version(1); });
  }
  resources.set_list(
      [](const std::optional<std::string>& cursor, ToolContext&) -> Result<mcp::ResourcePage> {
        if (cursor) return Error(Errc::invalid_argument, "unknown cursor");
        return mcp::ResourcePage{{{"test://static-text", "text", "Text", "A text.", "text/plain", ""}}, {}};
      },
      [](ToolContext&) { return mcp::ResourceRegistry::Version(1); });
}

void add_prompts(mcp::PromptRegistry& prompts) {
  mcp::PromptInfo simple{"test_simple_prompt", "Simple", "A prompt without arguments.", {}};
  prompts.add<Nothing>(simple, [](const Nothing&, ToolContext&) {
    return Result<mcp::PromptText>(mcp::PromptText{{"This is a simple prompt for testing."}});
  });
  mcp::PromptInfo pair{"test_prompt_with_arguments", "Arguments", "A prompt with two arguments.", {}};
  pair.completers["arg1"] = [](std::string_view, ToolContext&) {
    return Result<mcp::ArgumentValues>(mcp::ArgumentValues{{"paris", "park", "party"}, 3, false});
  };
  prompts.add<PairParams>(pair, [](const PairParams& p, ToolContext&) {
    return Result<mcp::PromptText>(
        mcp::PromptText{{"Prompt with arguments: arg1='" + p.arg1 + "', arg2='" + p.arg2 + "'"}});
  });
}

void serve() {
  mcp::ToolRegistry tools;
  add_tools(tools);
  mcp::ResourceRegistry resources;
  add_resources(resources);
  mcp::PromptRegistry prompts;
  add_prompts(prompts);
  const mcp::ServerProfile profile({"sample", "Sample", "1", "For tests."}, tools, system_clock(), {},
                                   {&resources, &prompts});
  boost::asio::io_context loop{1};
  boost::asio::thread_pool workers{6};
  mcp::Server server(
      loop, [&](mcp::Task task) { boost::asio::post(workers, std::move(task)); }, profile);
  server.on_session_closed([&](std::size_t) { server.stop(); });
  server.serve_stdio();
  loop.run();
  workers.join();
}

}  // namespace
}  // namespace memd::test

int main() { memd::test::serve(); }
