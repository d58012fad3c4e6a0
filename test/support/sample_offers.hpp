#pragma once

#include "protocol/mcp/offers.hpp"
#include "schemas/base/error.hpp"

#include <map>
#include <string>
#include <string_view>

namespace memd::test {

struct NoteParams {
  std::string name;
};
struct GreetParams {
  std::string who;
  std::int64_t times = 1;
};

}  // namespace memd::test

MEMD_DESCRIBE(memd::test::NoteParams, field<&T::name>("Which note.", required, length(1, 100)));
MEMD_DESCRIBE(memd::test::GreetParams, field<&T::who>("Whom.", required), field<&T::times>("How often.", range(1, 3)));

namespace memd::test {

// Notes by name that a test may change. The version of a note is the hash of its text.
struct SampleNotes {
  std::map<std::string, std::string> notes{{"a b", "text of a b"}, {"two", "text of two"}, {"three", "3"}};

  Result<std::string> text(const std::string& name) const {
    const auto it = notes.find(name);
    if (it == notes.end()) return Error(Errc::not_found, "there is no note " + name);
    return it->second;
  }
};

inline mcp::ArgumentValues values_starting_with(const SampleNotes& notes, std::string_view typed) {
  mcp::ArgumentValues out;
  for (const auto& [name, text] : notes.notes)
    if (name.starts_with(typed)) out.values.push_back(name);
  out.total = static_cast<std::int64_t>(out.values.size());
  return out;
}

inline void add_sample_resources(mcp::ResourceRegistry& registry, SampleNotes& notes) {
  mcp::ResourceInfo info;
  info.uri_template = "note://n/{name}";
  info.name = "note";
  info.title = "A note";
  info.description = "What a note says.";
  info.completers["name"] = [&notes](std::string_view typed, mcp::ToolContext&) -> Result<mcp::ArgumentValues> {
    return values_starting_with(notes, typed);
  };
  registry.add<NoteParams>(
      std::move(info), [&notes](const NoteParams& p, mcp::ToolContext&) { return notes.text(p.name); },
      [&notes](const NoteParams& p, mcp::ToolContext&) -> mcp::ResourceRegistry::Version {
        const auto text = notes.text(p.name);
        if (!text) return text.error();
        return std::hash<std::string>()(*text);
      });
  // Pages of two.
  registry.set_list(
      [&notes](const std::optional<std::string>& cursor, mcp::ToolContext&) -> Result<mcp::ResourcePage> {
        if (cursor && !notes.notes.contains(*cursor)) return Error(Errc::invalid_argument, "unknown cursor");
        mcp::ResourcePage page;
        for (auto it = cursor ? notes.notes.find(*cursor) : notes.notes.begin(); it != notes.notes.end(); ++it) {
          if (page.entries.size() == 2) {
            page.next = it->first;
            break;
          }
          page.entries.push_back({"note://n/" + mcp::percent_encoded(it->first), it->first, "Title", "About it",
                                  "text/plain", "2026-01-02T03:04:05Z"});
        }
        return page;
      },
      [&notes](mcp::ToolContext&) -> mcp::ResourceRegistry::Version { return notes.notes.size(); });
}

inline void add_sample_prompts(mcp::PromptRegistry& registry, const SampleNotes& notes) {
  mcp::PromptInfo info;
  info.name = "greet";
  info.title = "Greet";
  info.description = "Greets somebody.";
  info.completers["who"] = [&notes](std::string_view typed, mcp::ToolContext&) -> Result<mcp::ArgumentValues> {
    return values_starting_with(notes, typed);
  };
  registry.add<GreetParams>(std::move(info), [](const GreetParams& p, mcp::ToolContext&) -> Result<mcp::PromptText> {
    mcp::PromptText out;
    for (std::int64_t i = 0; i < p.times; ++i)
      out.messages.push_back("Hello " + p.who);
    return out;
  });
}

}  // namespace memd::test
