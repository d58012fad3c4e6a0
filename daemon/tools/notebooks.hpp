#pragma once

#include "daemon/memories/notebook.hpp"
#include "daemon/tools/answer.hpp"
#include "daemon/tools/toolset.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "schemas/memory.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Code shared by the memory tools. Free functions; each may be called on any thread.
namespace memd::tools {

// Parameters of all of them; of ScopeParams they take cwd, max_tokens and cursor.
struct MemoryParams : ScopeParams {
  std::optional<std::string> scope;
};

inline constexpr auto kMemoryTypeNames = [] {
  std::array<std::string_view, kMemoryTypes.size() - 2> names{};  // instructions and notes are of agents
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = kMemoryTypes[i].name;
  return names;
}();
// These tools have few words to put before a model: what a name says is not said again.
inline constexpr auto kMemoryWhereFields =
    fields_of(mcp::field("scope", &MemoryParams::scope, ""), mcp::field("cwd", &ScopeParams::cwd, ""));
inline constexpr auto kMemoryPageFields =
    fields_of(mcp::field("max_tokens", &ScopeParams::max_tokens, "", mcp::clamped(kLeastMaxTokens, kMostMaxTokens)),
              mcp::field("cursor", &ScopeParams::cursor, ""));

// Errc::invalid_argument: what the call names is no scope, or no type of memories that people keep.
Result<std::optional<MemoryScope>> scope_asked(const MemoryParams& params);
Result<std::optional<MemoryType>> type_asked(const std::optional<std::string>& type);

// The memories that a call works on: those of the repository of `cwd`, else of the client's only root, and the
// person's own. May wait for the client: call it before you take a reader.
memories::Notebook notebook_for(const ToolServices& services, const MemoryParams& params,
                                const mcp::ToolContext& context);
// Errors as scope_asked().
Result<memories::MemoryName> memory_named(const MemoryParams& params, const std::string& name);
// The frame of an answer about files, which are read when they are asked for.
Answer answer_of_files(const memories::Notebook& notebook);

// Returns the version identifier that callers send back; it changes when the file does.
inline constexpr std::size_t kVersionDigits = 12;
std::string version_of(const Memory& memory);

}  // namespace memd::tools
