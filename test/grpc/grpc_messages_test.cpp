// Compares the compiled protocol with the structs of the administration, and checks the conversion between them.
#include "daemon/admin/admin_service.hpp"
#include "daemon/admin/grpc/messages.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "schemas/base/error.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memd/admin/v1/admin.pb.h>

#include <set>
#include <string>
#include <string_view>

namespace memd::admin {
namespace {

namespace pb = google::protobuf;

class AdminProto : public testing::Test {
 protected:
  test::TempDir data_;
  Settings settings_{StoreLayout(data_.path()), false, data_.path(), {}, "", {}};
  MemoryHost host_{settings_, system_clock()};
  AdminService service_{host_, {}};
};

TEST_F(AdminProto, IsCompiledInWhole) {
  const auto* rpcs = pb::DescriptorPool::generated_pool()->FindServiceByName("memd.admin.v1.Admin");
  ASSERT_NE(rpcs, nullptr);
  std::set<std::string> methods;
  service_.each([&]<class Method>(const Method& method) {
    methods.emplace(method.rpc);
    const auto* rpc = rpcs->FindMethodByName(std::string(method.rpc));
    ASSERT_NE(rpc, nullptr) << method.rpc;
    const auto has_all = [&]<class T>(const pb::Descriptor& message, const T*) {
      int fields = 0;
      const auto expect = [&](std::string_view name) {
        ++fields;
        EXPECT_NE(message.FindFieldByName(std::string(name)), nullptr) << name;
      };
      mcp::kFieldsOf<T>.each([&](const auto& field) { expect(field.name); });
      EXPECT_EQ(message.field_count(), fields) << message.name();
    };
    has_all(*rpc->input_type(), static_cast<typename Method::Params*>(nullptr));
    has_all(*rpc->output_type(), static_cast<typename Method::Report*>(nullptr));
  });
  EXPECT_EQ(rpcs->method_count(), static_cast<int>(methods.size()));
}

TEST(AdminMessages, WriteAReportFieldByField) {
  StatusReport report;
  report.version = "1.2.3";
  report.pid = 7;
  report.rss_mb = 1.5;
  report.store_bytes = 1ULL << 40U;
  report.ingest = IngestStatus{};
  report.ingest->bytes_done = 3;
  report.unread = {"codex", "grok"};
  report.platforms.resize(2);
  report.platforms[1].platform = "cursor";
  report.platforms[1].span.start = "2026-02-09T06:00:00Z";
  v1::StatusReport out;
  ASSERT_TRUE(rpc::write_report(out, report).ok());
  EXPECT_EQ(out.version(), "1.2.3");
  EXPECT_EQ(out.pid(), 7);
  EXPECT_EQ(out.rss_mb(), 1.5);
  EXPECT_EQ(out.store_bytes(), 1ULL << 40U);
  EXPECT_TRUE(out.has_ingest());
  EXPECT_EQ(out.ingest().bytes_done(), 3U);
  EXPECT_FALSE(out.has_decisions());
  EXPECT_FALSE(out.has_next_drop());
  EXPECT_THAT(out.unread(), testing::ElementsAre("codex", "grok"));
  ASSERT_EQ(out.platforms_size(), 2);
  EXPECT_EQ(out.platforms(1).platform(), "cursor");
  EXPECT_EQ(out.platforms(1).span().start(), "2026-02-09T06:00:00Z");
}

TEST(AdminMessages, BytesThatAreNoTextBecomeSigns) {
  SourceListReport report;
  report.sources.resize(1);
  report.sources[0].source = "/a\xFF/\xC3\xA4";
  v1::SourceListReport out;
  ASSERT_TRUE(rpc::write_report(out, report).ok());
  EXPECT_EQ(out.sources(0).source(), "/a\xEF\xBF\xBD/\xC3\xA4");
}

TEST(AdminMessages, OnlyWhatWasSentIsAnArgument) {
  v1::EventsParams request;
  EXPECT_EQ(rpc::arguments_of(request), "{}");
  request.set_after(5);
  EXPECT_EQ(rpc::arguments_of(request), R"({"after":"5"})");
  v1::DoctorParams doctor;
  doctor.set_full(false);
  EXPECT_EQ(rpc::arguments_of(doctor), R"({"full":false})");
  v1::ImportParams import;
  import.set_path("/a \"b\"");
  EXPECT_EQ(rpc::arguments_of(import), R"({"path":"/a \"b\""})");
}

TEST(AdminMessages, ErrorsHaveACodeAndTheirWords) {
  const auto status = rpc::status_of(Error(Errc::not_found, "no such thing"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "no such thing");
  EXPECT_EQ(rpc::status_of(Error(Errc::store, "x")).error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_EQ(rpc::status_of(Error(Errc::store_busy, "x")).error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace memd::admin
