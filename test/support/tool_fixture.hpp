#pragma once

#include "daemon/tools/tool_services.hpp"
#include "daemon/tools/toolset.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/result.hpp"
#include "schemas/store_health.hpp"
#include "store/reader_pool.hpp"
#include "store/text/token_budget.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/schema_checker.hpp"
#include "test/support/store_fixture.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memd::test {

class FakeFreshness final : public tools::FreshnessProvider {
 public:
  std::vector<PlatformFreshness> freshness() const override { return rows; }
  std::uint64_t generation() const override { return commits; }

  std::vector<PlatformFreshness> rows;
  std::atomic<std::uint64_t> commits{1};
};

struct FakeAdapters final : std::vector<AdapterDescription>, tools::AdapterCatalogue {
  using std::vector<AdapterDescription>::operator=;
  const AdapterDescription* find(Platform platform) const override {
    ++questions;
    const auto it = std::ranges::find(*this, platform, &AdapterDescription::platform);
    return it == end() ? nullptr : &*it;
  }
  mutable std::atomic<int> questions{0};
};

class FakeRawText final : public tools::RawText {
 public:
  Result<std::string> event_text(const EventSource& where, EventKind) const override {
    ++reads;
    const auto it = texts.find(where.raw.offset);
    if (it == texts.end()) return Error::from_errno(ENOENT, "open", "the transcript");
    return it->second;
  }
  std::unique_ptr<tools::RawText> walk() const override {
    ++walks;
    return tools::RawText::walk();
  }
  std::map<std::uint64_t, std::string> texts;  // by offset in the source
  mutable std::atomic<int> reads{0};
  mutable std::atomic<int> walks{0};
};

inline constexpr TimeMs kNow = 1'770'616'800'000;  // 2026-02-09T06:00:00Z

// All tools, over a store that the test fills.
class ToolFixture : public testing::Test {
 protected:
  ToolFixture() : clock(kNow), pool(store.file(), 2) {
    AdapterDescription claude;
    claude.platform = Platform::claude_code;
    claude.adapter_version = "1.2.3";
    claude.data_completeness = DataCompleteness::full;
    claude.capabilities = {Capability::semantic_search,    Capability::temporal_query, Capability::session_summary,
                           Capability::exchange_retrieval, Capability::live_tail,      Capability::file_context};
    claude.limitations = {"Purged after 30 days by the agent."};
    claude.storage_locations = {"~/.claude/projects"};
    AdapterDescription cursor;
    cursor.platform = Platform::cursor;
    cursor.adapter_version = "0.1.0";
    cursor.capabilities = {Capability::semantic_search};
    adapters = {claude, cursor};
    freshness.rows = {{Platform::claude_code, kNow - 60'000, kNow - 1000, 3, 1, 120}};
  }

  void open() {
    tools::ToolServices services{pool,       clock,   freshness, raw, adapters,    store.file(), defaults,
                                 background, nullptr, {},        {},  home.path(), memory};
    tools::register_tools(registry, services);
  }

  mcp::ToolOutcome outcome(std::string_view tool, std::string_view arguments) {
    if (registry.tools().empty()) open();
    mcp::ToolContext context;
    context.set_roots([this](const std::stop_token&) { return roots; });
    context.directory = directory;
    context.elicitation = elicitation;
    return registry.call(tool, arguments, context);
  }

  // Calls a tool and returns its structured answer; `text` gets the rendered one. Checks what holds for every answer.
  boost::json::object call(std::string_view tool, std::string_view arguments) {
    const mcp::ToolOutcome out = outcome(tool, arguments);
    EXPECT_FALSE(out.is_error) << tool << " " << arguments << ": " << out.text;
    text = out.text;
    structured = out.structured;
    if (out.is_error) return {};
    const auto answer = boost::json::parse(out.structured);
    const auto schema = boost::json::parse(registry.find(tool)->whole_schema());
    EXPECT_EQ(schema_problems(schema.as_object(), answer), "") << out.structured;
    // est_tokens is written before its own size is known: it may be off by a digit.
    EXPECT_NEAR(answer.at("est_tokens").to_number<double>(), static_cast<double>(estimate_tokens(out.structured)), 2);
    return answer.as_object();
  }

  std::string error(std::string_view tool, std::string_view arguments) {
    const mcp::ToolOutcome out = outcome(tool, arguments);
    EXPECT_TRUE(out.is_error) << out.text;
    EXPECT_FALSE(out.unexpected) << out.text;
    return out.text;
  }

  // Calls a tool until there is no next page. Returns the answers of all pages.
  std::vector<boost::json::object> pages(std::string_view tool, const std::string& arguments) {
    std::vector<boost::json::object> out;
    std::string cursor;
    for (int i = 0; i < 500; ++i) {
      std::string with_cursor = arguments;
      if (!cursor.empty()) {
        with_cursor.pop_back();
        with_cursor += std::string(with_cursor.size() > 1 ? "," : "") + "\"cursor\":\"" + cursor + "\"}";
      }
      out.push_back(call(tool, with_cursor));
      const auto* next = out.back().if_contains("next");
      if (next == nullptr) return out;
      cursor = std::string(next->as_string());
    }
    ADD_FAILURE() << "pages without end";
    return out;
  }

  // Adds `count` exchanges about `topic`, one minute apart.
  std::vector<ExchangeId> fill(std::int64_t session, std::string_view topic, int count) {
    std::vector<ExchangeId> ids;
    for (int i = 0; i < count; ++i) {
      ExchangeTexts t;
      t.user = "Please change the " + std::string(topic) + " so that case " + std::to_string(i) + " works.";
      t.answer = "I looked at the " + std::string(topic) + " first. The case " + std::to_string(i) +
                 " failed because a \"quoted\" name was lost.\n\n```cpp\nint case_" + std::to_string(i) +
                 " = 1;\n```\nAll tests pass now.";
      ids.push_back(store.exchange(session, t));
    }
    return ids;
  }

  FakeClock clock;
  StoreFixture store;
  ReaderPool pool;
  FakeFreshness freshness;
  FakeRawText raw;
  FakeAdapters adapters;
  tools::ToolDefaults defaults;
  std::vector<std::string> roots;  // of the MCP client
  std::string directory;           // in which the client started memd
  TempDir home;
  MemoryConfig memory;
  mcp::Elicitation* elicitation = nullptr;
  std::function<void(std::function<void()>)> background;
  mcp::ToolRegistry registry;
  std::string text;
  std::string structured;
};

inline std::string str(const boost::json::value& v) { return std::string(v.as_string()); }
inline bool has(std::string_view s, std::string_view part) { return s.find(part) != std::string_view::npos; }

}  // namespace memd::test
