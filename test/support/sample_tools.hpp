#pragma once

#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/error.hpp"

#include <string>

namespace memd::test {

struct EchoParams {
  std::string text;
  std::int64_t times = 1;
};
struct EchoResult {
  std::string text;
};
inline std::string render_text(const EchoResult& r) { return "echo: " + r.text; }

struct Nothing {};

}  // namespace memd::test

MEMD_DESCRIBE(memd::test::EchoParams, field<&T::text>("What to say.", required),
              field<&T::times>("How often.", range(1, 1000000)));
MEMD_DESCRIBE(memd::test::EchoResult, field<&T::text>("What was said."));
MEMD_DESCRIBE(memd::test::Nothing);

namespace memd::test {

inline Result<EchoResult> echo(const EchoParams& p, mcp::ToolContext&) {
  EchoResult r;
  for (std::int64_t i = 0; i < p.times; ++i)
    r.text += p.text;
  return r;
}

inline mcp::ToolInfo sample_info(std::string name) {
  mcp::ToolInfo info;
  info.title = "Title of " + name;
  info.description = "Does " + name + ".";
  info.name = std::move(name);
  return info;
}

// echo: runs on a worker; quick: the same on the loop; missing, broken, throwing: three ways to fail.
inline void add_sample_tools(mcp::ToolRegistry& registry) {
  registry.add<EchoParams, EchoResult>(sample_info("echo"), echo);
  auto quick = sample_info("quick");
  quick.inline_ok = true;
  registry.add<EchoParams, EchoResult>(quick, echo);
  registry.add<Nothing, EchoResult>(sample_info("missing"), [](const Nothing&, mcp::ToolContext&) {
    return Result<EchoResult>(Error(Errc::not_found, "there is no exchange x9, call recent_turns for ids"));
  });
  registry.add<Nothing, EchoResult>(sample_info("broken"), [](const Nothing&, mcp::ToolContext&) {
    return Result<EchoResult>(Error(Errc::store, "disk I/O error"));
  });
  registry.add<Nothing, EchoResult>(
      sample_info("throwing"),
      [](const Nothing&, mcp::ToolContext&) -> Result<EchoResult> { throw std::runtime_error("oops"); });
}

}  // namespace memd::test
