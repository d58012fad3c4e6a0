#pragma once

#include "adapters/adapter.hpp"
#include "schemas/base/result.hpp"

#include <memory>
#include <span>

// The adapter of each platform, defined in the platform's folder. An adapter is created on first use and lives as long
// as the process. A platform without a line here is described by a file, adapters/described/<key>.yaml.
namespace memd {

namespace described {
struct Description;
const Adapter& built_in_adapter(Platform platform);
}  // namespace described

template <Platform id>
const Adapter& adapter() {
  return described::built_in_adapter(id);
}

template <>
const Adapter& adapter<Platform::claude_code>();
template <>
const Adapter& adapter<Platform::cursor>();
template <>
const Adapter& adapter<Platform::cline>();
template <>
const Adapter& adapter<Platform::codex>();
template <>
const Adapter& adapter<Platform::grok>();
template <>
const Adapter& adapter<Platform::opencode>();
template <>
const Adapter& adapter<Platform::gemini>();
template <>
const Adapter& adapter<Platform::thunderus>();
template <>
const Adapter& adapter<Platform::imported>();
template <>
const Adapter& adapter<Platform::pi>();
template <>
const Adapter& adapter<Platform::copilot_chat>();
template <>
const Adapter& adapter<Platform::openclaw>();
template <>
const Adapter& adapter<Platform::claude_desktop>();
template <>
const Adapter& adapter<Platform::antigravity>();
template <>
const Adapter& adapter<Platform::kilo>();
template <>
const Adapter& adapter<Platform::vibe>();
template <>
const Adapter& adapter<Platform::openhands>();
template <>
const Adapter& adapter<Platform::qwen>();
template <>
const Adapter& adapter<Platform::copilot>();
template <>
const Adapter& adapter<Platform::droid>();
template <>
const Adapter& adapter<Platform::kimi>();
template <>
const Adapter& adapter<Platform::aider>();
template <>
const Adapter& adapter<Platform::roo_code>();
template <>
const Adapter& adapter<Platform::kilo_code>();

// Makes the agents that the configuration describes known, as platforms and adapters, in place of those known before.
// Call before threads start. Errc::bad_config: one has the key of another agent, or the number that its key gives it.
Result<void> use_own_agents(std::span<const std::shared_ptr<const described::Description>> agents);

}  // namespace memd
