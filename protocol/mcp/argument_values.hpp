#pragma once

#include "protocol/mcp/tool_context.hpp"
#include "schemas/error.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::mcp {

inline constexpr std::size_t kMaxArgumentValues = 100;  // of one answer, by the protocol

// What an argument that is being typed may become, best first.
struct ArgumentValues {
  std::vector<std::string> values;
  std::optional<std::int64_t> total;  // of all that fit, where it is known
  bool more = false;                  // there are others behind these
};

using Completer = std::function<Result<ArgumentValues>(std::string_view typed, ToolContext&)>;
using Completers = std::map<std::string, Completer, std::less<>>;  // by the argument's name

}  // namespace memd::mcp
