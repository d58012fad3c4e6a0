#include "daemon/cli/web/web_history.hpp"

#include "daemon/cli/asking.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/memory_commands.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/cli/reopening.hpp"
#include "daemon/cli/report_making.hpp"
#include "daemon/cli/store_state.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/report/html_page.hpp"
#include "daemon/report/memory_map.hpp"
#include "daemon/report/report_page.hpp"
#include "protocol/mcp/described_json.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "store/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <thread>
#include <utility>

namespace memd::cli::web {

struct OpenParams {
  std::string session_id;
};
struct OpenAnswer {
  std::string command;
};
struct MemoriesParams {
  std::string slug;
  std::string cwd;
};
struct ReportParams {
  std::string agent;
  std::string project;
  std::optional<std::string> since;
};

}  // namespace memd::cli::web

MEMD_DESCRIBE(memd::cli::web::OpenParams, field<&T::session_id>(required, length(1, 200)));
MEMD_DESCRIBE(memd::cli::web::OpenAnswer, field<&T::command>());
MEMD_DESCRIBE(memd::cli::web::MemoriesParams, plain<&T::slug, &T::cwd>());
MEMD_DESCRIBE(memd::cli::web::ReportParams, plain<&T::agent, &T::project, &T::since>());

namespace memd::cli::web {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// What the page shows first.
constexpr std::string_view kFirstList = R"({"all_projects":true,"include_subagents":true,"n_results":40})";

// The script and the style of the page: those of a report, and those of the views that ask.
const report::HtmlPage& page() {
  static const report::HtmlPage kPage = [] {
    report::HtmlPage out{"memd", {"page.css", "report.css", "web.css"}, {}};
    out.rules = report::agent_colours();
    out.scripts.assign(report::kReportScripts.begin(), report::kReportScripts.end());
    out.scripts.insert(out.scripts.end(), {"tips.js", "rows.js", "web_answer.js", "web_sessions.js", "web_reading.js",
                                           "web_views.js", "web.js"});
    return out;
  }();
  return kPage;
}

// The page contains its style, and the script that asks for the first list or draws it: these wait for no other file.
// `list`: the answer to that question as JSON, if the page brings it along.
http::PageResponse start_page(std::string_view list = {}) {
  static const std::string kStyle = report::style_of(page());
  static const std::string kScript =
      report::script_of({"memd",
                         {},
                         {"words.js", "web_server.js", "first_list.js"},
                         {},
                         report::agent_names() + fmt::format("const firstList = {};\n", kFirstList)});
  std::string text(report::page_file("web.html"));
  const auto put = [&text](std::string_view behind, std::string_view what) {
    text.insert(text.find(behind) + behind.size(), what);
  };
  put("<style>", kStyle);
  put("<script>", kScript);
  put("<script type=\"application/json\" id=\"first-list\">", report::json_for_script(list));
  return {200, "text/html; charset=utf-8",   std::move(text),
          {},  report::hash_source(kScript), report::hash_source(kStyle)};
}

// Returns the file of a path; nullopt: there is none.
std::optional<http::PageResponse> page_file(std::string_view path) {
  if (path == "/") return start_page();
  if (path == "/page.js") return http::PageResponse{200, "text/javascript; charset=utf-8", report::script_of(page())};
  return std::nullopt;
}

// Tools whose answers people get whole, and those that the page asks as an agent would.
constexpr std::array<std::string_view, 10> kWhole{
    "list_sessions", "semantic_search", "get_exchange",   "recent_turns",    "file_history",
    "topic_search",  "resume_context",  "temporal_query", "session_summary", "list_observations"};
constexpr std::array<std::string_view, 4> kOfMemories{"memory_read", "memory_search", "memory_health", "capabilities"};
constexpr std::string_view kWrite = "memory_write";

bool is_among(const auto& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

bool is_of_the_connection(const Error& error) {
  return error.is(Errc::unavailable) || error.is(Errc::io) || error.is(Errc::cancelled);
}

http::PageResponse refused(unsigned status, std::string_view why) {
  return {status, "text/plain; charset=utf-8", std::string(why) + "\n"};
}

http::PageResponse refused(const Error& error) {
  const bool is_bad = error.is(Errc::invalid_argument) || error.is(Errc::unsupported);
  return refused(error.is(Errc::not_found) ? 404 : is_bad ? 400 : 503, harmless(for_people(error.message())));
}

Settings writing_settings(Settings settings) {
  if (settings.config.memory.write == MemoryWriting::ask) settings.config.memory.write = MemoryWriting::allow;
  return settings;
}

}  // namespace

// What an open page is told. While one exists the page is in use.
class WebHistory::Stream {
 public:
  explicit Stream(WebHistory& history) : history_(history), told_(store_state(history.settings_.layout.database())) {
    ++history_.streams_;
    history_.was_opened_ = true;
  }
  ~Stream() {
    history_.used_ = steady_clock::now().time_since_epoch().count();
    --history_.streams_;
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::optional<std::string> next() {
    constexpr auto kLook = 40ms;
    for (int look = 0; look < 20; ++look) {
      const StoreState state = store_state(history_.settings_.layout.database());
      if (state != told_) {
        told_ = state;
        return "event: stored\ndata:\n\n";
      }
      std::this_thread::sleep_for(kLook);
    }
    return "";
  }

 private:
  WebHistory& history_;
  StoreState told_;
};

WebHistory::WebHistory(const Settings& settings)
    : settings_(settings),
      writing_(writing_settings(settings)),
      used_(steady_clock::now().time_since_epoch().count()) {}

WebHistory::~WebHistory() = default;

std::chrono::milliseconds WebHistory::unused() const {
  if (streams_ > 0) return 0ms;
  const steady_clock::time_point used{steady_clock::duration(used_)};
  return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - used);
}

http::PageResponse WebHistory::answer(const http::PageRequest& request) {
  const bool gets = request.method == "GET";
  if (request.has_ticket) return page_with_list();
  if (auto file = page_file(request.path)) return gets ? *std::move(file) : refused(405, "send GET");
  if (!request.has_token)
    return refused(401, "This page belongs to an earlier start of memd web: open the address that it prints");
  used_ = steady_clock::now().time_since_epoch().count();
  constexpr std::string_view kApi = "/api/";
  if (request.path == "/live") {
    if (!gets) return refused(405, "send GET");
    return {200, "text/event-stream", ": memd\n\n",
            [stream = std::make_shared<Stream>(*this)] { return stream->next(); }};
  }
  if (!request.path.starts_with(kApi)) return refused(404, "there is nothing here");
  if (request.method != "POST") return refused(405, "send POST");
  if (!request.content_type.starts_with("application/json")) return refused(415, "send application/json");
  return call(std::string_view(request.path).substr(kApi.size()), request);
}

http::PageResponse WebHistory::page_with_list() {
  used_ = steady_clock::now().time_since_epoch().count();
  const auto outcome = ask([](Caller& caller) { return caller.answer("list_sessions", kFirstList); });
  // Without an answer the page asks itself, and tells why.
  return outcome && !outcome->is_error ? start_page(outcome->structured) : start_page();
}

http::PageResponse WebHistory::call(std::string_view tool, const http::PageRequest& request) {
  const bool wants_text = request.accept.starts_with("text/plain");
  Result<mcp::ToolOutcome> outcome = mcp::ToolOutcome();
  if (tool == "open") {
    outcome = open_command(request.body);
  } else if (tool == "memory_verify" || tool == "memory_graph") {
    outcome = look_at_memories(tool, request.body);
  } else if (tool == "report") {
    outcome = report_of(request.body);
  } else if (tool == kWrite) {
    const MemoryHost host(writing_, command_clock());
    mcp::ToolContext context;
    outcome = host.tools().call(tool, request.body, context);
  } else if (is_among(kWhole, tool) && !wants_text) {
    outcome = ask([&](Caller& caller) { return caller.answer(tool, request.body); });
  } else if (is_among(kWhole, tool) || is_among(kOfMemories, tool)) {
    outcome = ask([&](Caller& caller) { return caller.tool(tool, request.body); });
  } else {
    return refused(404, "there is no such tool for the page");
  }
  if (!outcome) return refused(outcome.error());
  if (outcome->is_error) return refused(outcome->unexpected ? 500 : 400, harmless(for_people(outcome->text)));
  if (wants_text) return {200, "text/plain; charset=utf-8", harmless(outcome->text)};
  return {200, "application/json", std::move(outcome->structured)};
}

Result<mcp::ToolOutcome> WebHistory::open_command(const std::string& arguments) const {
  MEMD_TRY_ASSIGN(const OpenParams params, mcp::from_json<OpenParams>(arguments));
  Reader reader(settings_.layout.database());
  MEMD_TRY_ASSIGN(const Reopening found, reopening_of(reader, params.session_id));
  const std::string line = harmless_line(as_shell_line(found.command, found.directory));
  return mcp::ToolOutcome{line, mcp::to_json(OpenAnswer{line}), false, false};
}

Result<mcp::ToolOutcome> WebHistory::report_of(const std::string& arguments) const {
  MEMD_TRY_ASSIGN(const ReportParams params, mcp::from_json<ReportParams>(arguments));
  MEMD_TRY_ASSIGN(MadeReport made, make_report(settings_, {params.project, params.agent, params.since, std::nullopt}));
  return mcp::ToolOutcome{{}, std::move(made.data), false, false};
}

Result<mcp::ToolOutcome> WebHistory::look_at_memories(std::string_view what, const std::string& arguments) const {
  MEMD_TRY_ASSIGN(const MemoriesParams params, mcp::from_json<MemoriesParams>(arguments));
  const memories::Notebook notebook = notebook_of(
      settings_, params.cwd.empty() ? std::filesystem::path() : memories::project_of(params.cwd, settings_.home));
  std::string out;
  if (what == "memory_verify") {
    MEMD_TRY_ASSIGN(const VerifyReport report, verify_report(notebook, memories::MemoryName{params.slug}));
    out = mcp::to_json(report);
  } else {
    MEMD_TRY_ASSIGN(const auto graph, notebook.graph());
    report::DataWriter w(out);
    w.begin_object();
    report::write_memories(w, graph);
    w.end_object();
  }
  return mcp::ToolOutcome{{}, std::move(out), false, false};
}

Result<mcp::ToolOutcome> WebHistory::ask(const std::function<Result<mcp::ToolOutcome>(Caller&)>& question) {
  for (bool again = false;; again = true) {
    std::unique_ptr<Caller> caller;
    {
      const std::lock_guard hold(mutex_);
      if (!idle_.empty()) {
        caller = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    std::ostream nobody(nullptr);
    if (!caller) {
      MEMD_TRY_ASSIGN(caller, open_caller(settings_, Need::read, kPatience, nobody));
    }
    auto outcome = question(*caller);
    if (outcome || !is_of_the_connection(outcome.error())) {
      const std::lock_guard hold(mutex_);
      idle_.push_back(std::move(caller));
      return outcome;
    }
    if (again) return outcome;
    const std::lock_guard hold(mutex_);
    idle_.clear();  // the daemon of all of them has gone
  }
}

}  // namespace memd::cli::web
