#pragma once

#include "daemon/memories/notebook.hpp"
#include "daemon/tools/answer.hpp"
#include "daemon/tools/scope_params.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "schemas/memory.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// Code shared by the memory tools. Free functions; each may be called on any thread.
namespace memd::tools {

// Parameters of the memory tools. Of ScopeParams they take cwd, max_tokens and cursor.
struct MemoryParams : ScopeParams {
  std::optional<std::string> scope;
};

inline constexpr auto kMemoryTypeNames = [] {
  std::array<std::string_view, kMemoryTypes.size() - 2> names{};  // without the agents' instructions and notes
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = kMemoryTypes[i].name;
  return names;
}();
// A model pays for each word of a tool, so fields whose names say enough have no description.
inline constexpr auto kMemoryWhereFields =
    fields_of(mcp::field<&MemoryParams::scope>(), mcp::field<&ScopeParams::cwd>());
inline constexpr auto kMemoryPageFields =
    fields_of(mcp::field<&ScopeParams::max_tokens>(mcp::clamped(kLeastMaxTokens, kMostMaxTokens)),
              mcp::field<&ScopeParams::cursor>());

// Parse the scope and the type that a call names; nullopt if it names none. Errc::invalid_argument if there is no such
// scope, or no such type of memories that people keep.
Result<std::optional<MemoryScope>> scope_asked(const MemoryParams& params);
Result<std::optional<MemoryType>> type_asked(const std::optional<std::string>& type);

// Returns the memories that a call works on: those of the repository of `cwd`, else of the client's only root, and the
// user's own. May wait for the client, so it has to be called before a reader is leased.
memories::Notebook notebook_for(const ToolServices& services, const MemoryParams& params,
                                const mcp::ToolContext& context);
// Returns `name` with the scope of the call. Errors as scope_asked().
Result<memories::MemoryName> memory_named(const MemoryParams& params, const std::string& name);
// Returns the frame of an answer about memory files. They are read on demand, so it has no freshness.
Answer answer_of_files(const memories::Notebook& notebook);

inline constexpr std::size_t kVersionDigits = 12;  // hexadecimal digits of Memory::file_hash
// Returns the version identifier that callers send back; it changes when the file does.
std::string version_of(const Memory& memory);

}  // namespace memd::tools
