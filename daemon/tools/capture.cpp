#include "daemon/tools/capture.hpp"

#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/error.hpp"

#include <charconv>
#include <utility>

namespace memd::tools {

std::string render_text(const CaptureAnswer& a) {
  if (!a.paused) return "Capture is on: what agents write is stored.\n";
  return "Capture is paused since " + a.since + (a.until.empty() ? ", until it is resumed" : ", until " + a.until) +
         ". What agents write meanwhile is not stored, not even later.\n";
}

Result<TimeMs> parse_duration(std::string_view text) {
  constexpr TimeMs kMinute = 60'000;
  TimeMs n = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), n);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const TimeMs ms = unit == "m" ? kMinute : unit == "h" ? 60 * kMinute : unit == "d" ? kMsPerDay : 0;
  if (ec != std::errc() || n <= 0 || n > 100'000 || ms == 0)
    return Error(Errc::invalid_argument,
                 "duration: \"" + std::string(text) + "\" is not a duration; send 30m, 2h or 1d");
  return n * ms;
}

void add_capture(mcp::ToolRegistry& registry, SetCapture set) {
  mcp::ToolInfo info;
  info.name = "capture";
  info.title = "Pause and resume the recording";
  info.description =
      "Stops memd from storing what agents write on this machine (action=pause, perhaps with duration=\"30m\"), and "
      "has "
      "it store again (action=resume). What is written during a pause is never stored. Use it only when the user asks "
      "for it; tell the user what the answer says.";
  info.annotations = {false, false, true, false};
  registry.add<CaptureParams, CaptureAnswer>(
      std::move(info), [set = std::move(set)](const CaptureParams& p, mcp::ToolContext&) { return set(p); });
}

}  // namespace memd::tools
