#pragma once

#include "adapters/adapter.hpp"

// The adapter of each platform, defined in the platform's folder. An adapter is created on first use and lives as long
// as the process. A platform without a line here does not compile.
namespace memd {

template <Platform>
const Adapter& adapter() = delete;

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
const Adapter& adapter<Platform::kilo>();
template <>
const Adapter& adapter<Platform::vibe>();
template <>
const Adapter& adapter<Platform::openhands>();
template <>
const Adapter& adapter<Platform::aider>();
template <>
const Adapter& adapter<Platform::roo_code>();
template <>
const Adapter& adapter<Platform::kilo_code>();

}  // namespace memd
