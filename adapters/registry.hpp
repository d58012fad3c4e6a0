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

#define MEMD_HAS_ADAPTER(key) \
  template <>                 \
  const Adapter& adapter<Platform::key>()

MEMD_HAS_ADAPTER(claude_code);
MEMD_HAS_ADAPTER(cursor);
MEMD_HAS_ADAPTER(cline);
MEMD_HAS_ADAPTER(codex);
MEMD_HAS_ADAPTER(grok);
MEMD_HAS_ADAPTER(opencode);
MEMD_HAS_ADAPTER(gemini);
MEMD_HAS_ADAPTER(thunderus);
MEMD_HAS_ADAPTER(imported);
MEMD_HAS_ADAPTER(pi);
MEMD_HAS_ADAPTER(copilot_chat);
MEMD_HAS_ADAPTER(openclaw);
MEMD_HAS_ADAPTER(claude_desktop);
MEMD_HAS_ADAPTER(antigravity);
MEMD_HAS_ADAPTER(kilo);
MEMD_HAS_ADAPTER(vibe);
MEMD_HAS_ADAPTER(openhands);
MEMD_HAS_ADAPTER(qwen);
MEMD_HAS_ADAPTER(copilot);
MEMD_HAS_ADAPTER(droid);
MEMD_HAS_ADAPTER(kimi);
MEMD_HAS_ADAPTER(aider);
MEMD_HAS_ADAPTER(roo_code);
MEMD_HAS_ADAPTER(kilo_code);

// Defines the adapter of a platform, outside of all namespaces: MEMD_ADAPTER(pi, pi::PiAdapter())
#define MEMD_ADAPTER(key, ...)                                \
  template <>                                                 \
  const memd::Adapter& memd::adapter<memd::Platform::key>() { \
    using namespace memd;                                     \
    static const auto& instance = __VA_ARGS__;                \
    return instance;                                          \
  }

// Makes the agents that the configuration describes known, as platforms and adapters, in place of those known before.
// Call before threads start. Errc::bad_config: one has the key of another agent, or the number that its key gives it.
Result<void> use_own_agents(std::span<const std::shared_ptr<const described::Description>> agents);

}  // namespace memd
