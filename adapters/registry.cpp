#include "adapters/registry.hpp"

#include "adapters/described/described_adapter.hpp"
#include "schemas/base/error.hpp"

#include <memory>
#include <utility>

namespace memd {
namespace {

template <std::size_t... I>
std::vector<const Adapter*> adapters_of(std::index_sequence<I...>) {
  return {&adapter<kPlatforms[I].id>()...};
}

// In the order of platforms().
std::vector<const Adapter*>& table() {
  static auto all = adapters_of(std::make_index_sequence<kPlatforms.size()>());
  return all;
}

}  // namespace

std::span<const Adapter* const> all_adapters() { return table(); }

const Adapter* find_adapter(Platform platform) {
  const PlatformInfo* info = find_platform(platform);
  return info == nullptr ? nullptr : all_adapters()[static_cast<std::size_t>(info - platforms().data())];
}

Result<void> use_own_agents(std::span<const std::shared_ptr<const described::Description>> agents) {
  static std::vector<std::unique_ptr<const described::DescribedAdapter>> own;
  if (agents.empty() && own.empty()) return {};  // threads may run
  std::vector<PlatformInfo> lines;
  set_own_platforms({});
  own.clear();
  table().resize(kPlatforms.size());
  for (const auto& one : agents) {
    described::Description agent = *one;
    const auto refuse = [&](const std::string& what) {
      return Error(Errc::bad_config, agent.where + ": agent: " + what);
    };
    if (parse_platform(agent.key)) return refuse("memd knows '" + agent.key + "' already; give yours another key");
    const Platform number = own_platform(agent.key);
    for (const PlatformInfo& other : lines)
      if (other.id == number)
        return refuse(
            "the key '" + agent.key + "' " +
            (other.key == agent.key ? "is given twice" : "stands for the same as '" + std::string(other.key) + "'") +
            "; choose another");
    described::settle_colours(agent);
    own.push_back(std::make_unique<described::DescribedAdapter>(number, std::move(agent)));
    lines.push_back(described::platform_of(own.back()->description()));
  }
  set_own_platforms(lines);
  for (const PlatformInfo& line : platforms().subspan(table().size()))
    for (const auto& adapter : own)
      if (adapter->platform() == line.id) table().push_back(adapter.get());
  return {};
}

}  // namespace memd
