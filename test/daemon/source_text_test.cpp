#include "adapters/adapter.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/source_file.hpp"
#include "daemon/tools/tool_services.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace memd {
namespace {

namespace fs = std::filesystem;

// A golden task of Cline: all its messages are in one document.
class ClineTask : public testing::Test {
 protected:
  ClineTask() {
    fs::copy(test::source_dir() / "test/golden/cline/claude_dev/home", home_.path(), fs::copy_options::recursive);
    for (const auto& file : fs::recursive_directory_iterator(home_.path()))
      if (file.path().filename() == "claude_messages.json") document_ = file.path();
    const Adapter& cline = *find_adapter(Platform::cline);
    Source source;
    source.platform = Platform::cline;
    source.path = document_.string();
    source.format = SourceFormat::json;
    const DiskView files;
    const auto reader = cline.open_snapshot(source, files);
    const std::string session = reader->plan("").value().sessions.at(0);
    const auto contents = reader->session(session, {}).value();
    for (const SnapshotReader::Item& item : contents->items)
      events_.push_back(
          {{Platform::cline, source.path, source.format, "cline:" + session}, SourceState::active, 1, {}, item.key});
  }

  static std::size_t found(const tools::RawText& texts, const std::vector<EventSource>& events) {
    std::size_t count = 0;
    for (const EventSource& where : events)
      for (const EventKind kind : {EventKind::user_msg, EventKind::assistant_msg})
        count += texts.event_text(where, kind).has_value();
    return count;
  }

  test::TempDir home_, data_;
  fs::path document_;
  std::vector<EventSource> events_;
  const SourceText texts_{StoreLayout(data_.path()), {}};
};

TEST_F(ClineTask, AWalkReadsItsDocumentOnce) {
  const std::size_t all = found(texts_, events_);
  ASSERT_GE(all, 2U);
  const auto walk = texts_.walk();
  ASSERT_EQ(found(*walk, {events_.front()}), found(texts_, {events_.front()}));
  fs::remove_all(document_.parent_path());
  EXPECT_EQ(found(*walk, events_), all) << "what the walk read";
  EXPECT_EQ(found(texts_, events_), 0U) << "what is on disk";
}

}  // namespace
}  // namespace memd
