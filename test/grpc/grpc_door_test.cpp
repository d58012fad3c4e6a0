// The gRPC door with real clients on a real socket.
#include "daemon/admin/admin_door.hpp"
#include "daemon/admin/admin_service.hpp"
#include "daemon/admin/admin_tools.hpp"
#include "daemon/config/config.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "daemon/serve/listening_socket.hpp"
#include "daemon/serve/worker_pool.hpp"
#include "store/reader.hpp"
#include "test/grpc/admin_client.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace memd {
namespace {

using namespace std::chrono_literals;
using grpc::StatusCode;
using test::AdminClient;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;
namespace v1 = memd::admin::v1;
using Stub = AdminClient::Stub;

std::string prompt_line(int n, std::string_view text) {
  const std::string uuid = "00000000-0000-4000-8000-00000000000" + std::to_string(n);
  return R"({"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":")" +
         std::string(text) + R"("},"uuid":")" + uuid +
         R"(","timestamp":"2026-02-09T06:01:53.253Z","userType":"external","cwd":"/w/p","sessionId":"s","version":"2.1.7"})" +
         "\n";
}

// A host that ingests, a loop, workers and the door, connected as in Service.
class GrpcDoor : public testing::Test {
 protected:
  GrpcDoor() {
    std::filesystem::permissions(data_.path(), std::filesystem::perms::owner_all);
    lock_.emplace(std::move(*InstanceLock::attempt(data_.path()).value().lock));
  }
  ~GrpcDoor() override {
    if (door_ && thread_.joinable()) on_loop([this] { door_->stop(); });
    work_.reset();
    if (thread_.joinable()) thread_.join();
    host_.stop();
    workers_.stop();
    door_.reset();
  }

  void open() {
    host_.on_commit([this] {
      if (door_) door_->committed();
    });
    const auto to_worker = [this](std::function<void()> task) {
      if (holds_tasks_)
        held_.push_back(std::move(task));
      else
        workers_.post(std::move(task));
    };
    auto door = admin::make_grpc_door({service_, loop_, to_worker, [](std::string_view) {}});
    ASSERT_TRUE(door) << door.error().message();
    door_ = std::move(*door);
    auto socket = ListeningSocket::create(data_ / "admin.sock", *lock_);
    ASSERT_TRUE(socket) << socket.error().message();
    socket_.emplace(std::move(*socket));
    door_->listen(socket_->duplicate().value());
    thread_ = std::thread([this] { loop_.run(); });
    ASSERT_TRUE(host_.start_ingest());
  }
  void on_loop(const std::function<void()>& f) {
    std::promise<void> done;
    boost::asio::post(loop_, [&] {
      f();
      done.set_value();
    });
    done.get_future().wait();
  }
  void write_session(int prompts) {
    std::string text;
    for (int n = 1; n <= prompts; ++n)
      text += prompt_line(n, "prompt " + std::to_string(n));
    test::write_file(transcript_, text);
  }

  test::TempDir home_;
  test::TempDir data_;
  const std::filesystem::path transcript_ = home_ / ".claude/projects/-w-p/s.jsonl";
  Settings settings_{StoreLayout(data_.path()), false, home_.path(), {}, "", {}};
  MemoryHost host_{settings_, system_clock()};
  admin::AdminService service_{host_, {}};
  std::optional<InstanceLock> lock_;
  boost::asio::io_context loop_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{loop_.get_executor()};
  WorkerPool workers_{3};
  bool holds_tasks_ = false;  // loop thread only
  std::vector<std::function<void()>> held_;
  std::optional<ListeningSocket> socket_;
  std::unique_ptr<admin::AdminDoor> door_;
  std::thread thread_;
};

TEST_F(GrpcDoor, AnswersEachCall) {
  write_session(2);
  open();
  AdminClient client(data_ / "admin.sock");
  std::set<std::string> called{"WatchEvents"};  // tested in WatchersHearOfAFile
  const auto ask = [&](const char* name, auto method, const auto& request, auto& response) {
    called.insert(name);
    const grpc::Status status = client.ask(method, request, response);
    EXPECT_TRUE(status.ok()) << name << ": " << status.error_message();
  };
  v1::IngestReport ingested;
  ask("Rescan", &Stub::Rescan, v1::IngestParams(), ingested);
  EXPECT_TRUE(ingested.complete());
  EXPECT_EQ(ingested.sources(), 1);
  EXPECT_GT(ingested.events_written(), 0U);

  v1::StatusReport status;
  ask("Status", &Stub::Status, v1::NoParams(), status);
  EXPECT_EQ(status.data_dir(), data_.path().string());
  EXPECT_EQ(status.sources().active(), 1);

  v1::SourceListReport sources;
  ask("ListSources", &Stub::ListSources, v1::SourceListParams(), sources);
  EXPECT_EQ(sources.total(), 1);
  ASSERT_EQ(sources.sources_size(), 1);
  EXPECT_EQ(sources.sources(0).source(), transcript_.string());
  EXPECT_EQ(sources.sources(0).state(), "active");
  EXPECT_EQ(sources.sources(0).bytes_done(), std::filesystem::file_size(transcript_));

  v1::MetricsReport metrics;
  ask("GetMetrics", &Stub::GetMetrics, v1::NoParams(), metrics);
  EXPECT_THAT(metrics.metrics(), HasSubstr("# TYPE memd_"));

  v1::ConfigurationReport configuration;
  ask("GetConfiguration", &Stub::GetConfiguration, v1::NoParams(), configuration);
  EXPECT_GT(configuration.entries_size(), 60);

  v1::LogReport log;
  ask("ListLog", &Stub::ListLog, v1::LogParams(), log);
  EXPECT_GT(log.entries_size(), 0);

  v1::DiagnosticsReport diagnostics;
  ask("ListDiagnostics", &Stub::ListDiagnostics, v1::DiagnosticsParams(), diagnostics);
  EXPECT_EQ(diagnostics.total(), 0);

  v1::DoctorReport doctor;
  ask("Doctor", &Stub::Doctor, v1::DoctorParams(), doctor);
  EXPECT_GT(doctor.checks_size(), 5);

  v1::RetentionReport retention;
  ask("Retention", &Stub::Retention, v1::RetentionParams(), retention);
  v1::ForgetParams forget;
  forget.set_session("latest");
  v1::ForgetReport forgotten;
  ask("Forget", &Stub::Forget, forget, forgotten);
  EXPECT_EQ(forgotten.sessions_size(), 1);
  EXPECT_FALSE(forgotten.done());

  v1::ProjectReport projects;
  ask("Project", &Stub::Project, v1::ProjectParams(), projects);
  EXPECT_EQ(projects.change(), "");

  v1::MemoryCatalogReport catalog;
  ask("MemoryCatalog", &Stub::MemoryCatalog, v1::MemoryCatalogParams(), catalog);

  v1::CaptureParams order;
  order.set_action("pause");
  v1::CaptureAnswer capture;
  ask("Capture", &Stub::Capture, order, capture);
  EXPECT_TRUE(capture.paused());
  order.set_action("resume");
  ask("Capture", &Stub::Capture, order, capture);
  EXPECT_FALSE(capture.paused());

  v1::CompactReport compacted;
  ask("Compact", &Stub::Compact, v1::CompactParams(), compacted);
  EXPECT_GT(compacted.store_bytes(), 0U);
  EXPECT_EQ(compacted.left(), "");

  v1::RebuildParams what;
  v1::RebuildResponse rebuilt;
  ask("Rebuild", &Stub::Rebuild, what, rebuilt);
  EXPECT_EQ(rebuilt.what(), "search");
  what.set_what("memories");
  ask("Rebuild", &Stub::Rebuild, what, rebuilt);
  EXPECT_EQ(rebuilt.what(), "memories");

  v1::RecallReport recalled;
  v1::RecallParams recall;
  recall.set_text("make: no rule to make target");
  ask("Recall", &Stub::Recall, recall, recalled);
  v1::ShareReport shared;
  v1::ShareParams share;
  share.set_action("status");
  ask("Share", &Stub::Share, share, shared);

  v1::CoverageReport coverage;
  ask("GetCoverage", &Stub::GetCoverage, v1::CoverageParams(), coverage);
  EXPECT_EQ(coverage.bytes_total(), std::filesystem::file_size(transcript_));

  const auto file = home_ / "in.jsonl";
  test::write_file(file, "");
  v1::ImportParams import;
  import.set_path(file.string());
  v1::ImportReport imported;
  ask("Import", &Stub::Import, import, imported);
  EXPECT_EQ(imported.path(), file.string());

  std::set<std::string> there;
  service_.each([&](const auto& method) { there.emplace(method.rpc); });
  EXPECT_EQ(called, there);
}

TEST_F(GrpcDoor, SaysTheSameAsTheMainSocket) {
  write_session(2);
  open();
  host_.ingest()->scan();
  ASSERT_TRUE(host_.ingest()->block_until_idle(60s));
  AdminClient client(data_ / "admin.sock");
  mcp::ToolRegistry registry;
  admin::register_admin_tools(registry, service_);
  const auto expect_same = [&](const char* name, auto method, const auto& request, auto& response) {
    const grpc::Status status = client.ask(method, request, response);
    ASSERT_TRUE(status.ok()) << name << ": " << status.error_message();
    mcp::ToolContext context;
    const auto outcome = registry.call(name, {}, context);
    std::remove_reference_t<decltype(response)> from_json;
    const auto parsed = google::protobuf::util::JsonStringToMessage(outcome.structured, &from_json);
    ASSERT_TRUE(parsed.ok()) << name << ": " << parsed.ToString() << outcome.structured;
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(response, from_json))
        << name << "\n"
        << response.DebugString() << outcome.structured;
  };
  v1::SourceListReport sources;
  expect_same("sources", &Stub::ListSources, v1::SourceListParams(), sources);
  v1::ConfigurationReport configuration;
  expect_same("configuration", &Stub::GetConfiguration, v1::NoParams(), configuration);
  v1::CoverageReport coverage;
  expect_same("coverage", &Stub::GetCoverage, v1::CoverageParams(), coverage);
  v1::LogReport log;
  expect_same("log", &Stub::ListLog, v1::LogParams(), log);
  v1::RetentionReport retention;
  expect_same("retention", &Stub::Retention, v1::RetentionParams(), retention);
}

TEST_F(GrpcDoor, SaysWhatIsWrong) {
  open();
  AdminClient client(data_ / "admin.sock");
  v1::ImportReport imported;
  v1::ImportParams import;
  auto status = client.ask(&Stub::Import, import, imported);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("path"));
  import.set_path((home_ / "none.jsonl").string());
  status = client.ask(&Stub::Import, import, imported);
  EXPECT_EQ(status.error_code(), StatusCode::NOT_FOUND) << status.error_message();
  EXPECT_THAT(status.error_message(), HasSubstr("none.jsonl"));

  v1::SourceListParams list;
  list.set_limit(0);
  v1::SourceListReport sources;
  status = client.ask(&Stub::ListSources, list, sources);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("limit"));
  list.clear_limit();
  list.set_platform("none");
  status = client.ask(&Stub::ListSources, list, sources);
  EXPECT_THAT(status.error_message(), HasSubstr("no such platform"));

  v1::EventsParams events;
  events.set_limit(-1);
  const auto context = test::patient();
  const auto stream = client->WatchEvents(context.get(), events);
  v1::EventsReport report;
  EXPECT_FALSE(stream->Read(&report));
  EXPECT_EQ(stream->Finish().error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST_F(GrpcDoor, WatchersHearOfAFile) {
  open();
  AdminClient first(data_ / "admin.sock");
  AdminClient second(data_ / "admin.sock");
  const auto one = test::patient();
  const auto two = test::patient();
  const auto stream_one = first->WatchEvents(one.get(), v1::EventsParams());
  const auto stream_two = second->WatchEvents(two.get(), v1::EventsParams());
  v1::EventsReport report;
  for (auto* stream : {stream_one.get(), stream_two.get()}) {
    ASSERT_TRUE(stream->Read(&report));
    EXPECT_GT(report.cursor(), 0);
    EXPECT_TRUE(report.has_ingest());
    EXPECT_EQ(report.sessions_size(), 0);
  }
  write_session(3);
  host_.ingest()->scan();
  for (auto* stream : {stream_one.get(), stream_two.get()}) {
    bool heard = false;
    while (!heard && stream->Read(&report))
      heard = report.sessions_size() > 0;
    ASSERT_TRUE(heard);
    EXPECT_EQ(report.sessions(0).platform(), "claude_code");
    EXPECT_GT(report.sessions(0).events(), 0);
    EXPECT_GT(report.ingest().events_written(), 0U);
  }
  // Meanwhile a call of another client is answered.
  v1::StatusReport status;
  EXPECT_TRUE(second.ask(&Stub::Status, v1::NoParams(), status).ok());
  one->TryCancel();
  while (stream_one->Read(&report)) {
  }
  EXPECT_EQ(stream_one->Finish().error_code(), StatusCode::CANCELLED);
  EXPECT_TRUE(first.ask(&Stub::Status, v1::NoParams(), status).ok());
}

TEST_F(GrpcDoor, ClosingEndsStreamsAndCalls) {
  open();
  AdminClient client(data_ / "admin.sock");
  const auto context = test::patient();
  const auto stream = client->WatchEvents(context.get(), v1::EventsParams());
  v1::EventsReport report;
  ASSERT_TRUE(stream->Read(&report));
  // A call that is queued but not yet taken by a worker.
  on_loop([this] { holds_tasks_ = true; });
  v1::StatusReport status;
  auto waiting = std::async(std::launch::async, [&] { return client.ask(&Stub::Status, v1::NoParams(), status); });
  for (bool is_held = false; !is_held; std::this_thread::yield())
    on_loop([&] { is_held = !held_.empty(); });
  on_loop([this] { door_->stop(); });
  while (stream->Read(&report)) {
  }
  const auto end = stream->Finish();
  EXPECT_EQ(end.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(end.error_message(), "memd is stopping");
  EXPECT_EQ(waiting.get().error_code(), StatusCode::UNAVAILABLE);
  const auto late = client.ask(&Stub::Status, v1::NoParams(), status);
  EXPECT_EQ(late.error_code(), StatusCode::UNAVAILABLE);
  held_.clear();
}

TEST_F(GrpcDoor, DrainingAnswersTheCallsThatRun) {
  open();
  AdminClient client(data_ / "admin.sock");
  on_loop([this] { holds_tasks_ = true; });
  v1::StatusReport status;
  auto waiting = std::async(std::launch::async, [&] { return client.ask(&Stub::Status, v1::NoParams(), status); });
  for (bool is_held = false; !is_held; std::this_thread::yield())
    on_loop([&] { is_held = !held_.empty(); });
  const auto context = test::patient();
  const auto stream = client->WatchEvents(context.get(), v1::EventsParams());
  for (bool is_held = false; !is_held; std::this_thread::yield())
    on_loop([&] { is_held = held_.size() == 2; });
  on_loop([this] { door_->drain(1h, "it is made anew"); });
  v1::EventsReport report;
  while (stream->Read(&report)) {
  }
  EXPECT_EQ(stream->Finish().error_message(), "it is made anew");
  v1::StatusReport late;
  const auto refused = client.ask(&Stub::Status, v1::NoParams(), late);
  EXPECT_EQ(refused.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(refused.error_message(), "it is made anew");
  on_loop([this] {
    for (auto& task : held_)
      workers_.post(std::move(task));
    held_.clear();
  });
  const auto answered = waiting.get();
  EXPECT_TRUE(answered.ok()) << answered.error_message();
  EXPECT_EQ(status.data_dir(), data_.path().string());
  // Nothing keeps the loop running any more.
  work_.reset();
  thread_.join();
}

TEST_F(GrpcDoor, TheSocketIsPrivate) {
  open();
  namespace fs = std::filesystem;
  EXPECT_EQ(fs::status(data_ / "admin.sock").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(data_.path()).permissions(), fs::perms::owner_all);
}

TEST(GrpcConfig, IsTakenByAMemdThatHasTheDoor) {
  const auto on = parse_config("admin: {grpc: {enabled: true, socket: /run/x/admin.sock}}\n", "c.yaml");
  ASSERT_TRUE(on) << on.error().message();
  EXPECT_TRUE(on->admin.grpc);
  EXPECT_EQ(on->admin.grpc_socket, "/run/x/admin.sock");
  EXPECT_FALSE(Config().admin.grpc);
}

}  // namespace
}  // namespace memd
