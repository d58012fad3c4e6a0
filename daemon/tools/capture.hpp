#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace memd::mcp {
class ToolRegistry;
}

namespace memd::tools {

inline constexpr std::array<std::string_view, 3> kCaptureActions{"status", "pause", "resume"};

struct CaptureParams {
  std::string action = "status";
  std::optional<std::string> duration;  // of a pause
};

// The capture state: whether memd stores what agents write.
struct CaptureAnswer {
  bool paused = false;
  std::string since;  // RFC 3339; empty: it is not paused
  std::string until;  // RFC 3339; empty: until it is resumed
};
std::string render_text(const CaptureAnswer& answer);

// Parses "30m", "2h" or "1d" into milliseconds. Errc::invalid_argument for anything else.
Result<TimeMs> parse_duration(std::string_view text);

using SetCapture = std::function<Result<CaptureAnswer>(const CaptureParams&)>;
// Adds the tool with which an agent pauses capture. To be called only if the configuration enables it.
void add_capture(mcp::ToolRegistry& registry, SetCapture set);

}  // namespace memd::tools

MEMD_DESCRIBE(memd::tools::CaptureParams, field<&T::action>("What to do.", one_of(tools::kCaptureActions)),
              field<&T::duration>("How long to pause: 30m, 2h, 1d. Without: until it is resumed.", length(0, 20)));
MEMD_DESCRIBE(memd::tools::CaptureAnswer, field<&T::paused>("What agents write now is not stored, not even later."),
              field<&T::since>("RFC 3339; empty: it is not paused."),
              field<&T::until>("RFC 3339; empty: until it is resumed."));
