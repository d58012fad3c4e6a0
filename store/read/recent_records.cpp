#include "store/read/recent_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

namespace memd {
namespace {

constexpr std::uint64_t kWindow = 1000;  // records
constexpr std::uint64_t kStretch = 50;

// Removes a leading number and the character after it from `text`.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc{}) return std::nullopt;
  text.remove_prefix(std::min<std::size_t>(static_cast<std::size_t>(end - text.data()) + 1, text.size()));
  return value;
}

}  // namespace

void RecentRecords::add(std::uint64_t records, std::uint64_t unknown) {
  if (records > kWindow) {  // more than the window holds: scaled to it
    unknown = (unknown * kWindow + records / 2) / records;
    records = kWindow;
  }
  while (records > 0) {
    if (stretches.empty() || stretches.back().records >= kStretch) stretches.emplace_back();
    Stretch& last = stretches.back();
    const std::uint64_t piece = std::min(records, kStretch - last.records);
    const std::uint64_t share = unknown * piece / records;
    last.records += piece;
    last.unknown += share;
    records -= piece;
    unknown -= share;
  }
  while (stretches.size() > 1 && total().records - stretches.front().records >= kWindow)
    stretches.pop_front();
}

RecentRecords::Stretch RecentRecords::total() const {
  Stretch sum;
  for (const auto& s : stretches)
    sum.records += s.records, sum.unknown += s.unknown;
  return sum;
}

std::string RecentRecords::encode() const {
  std::string out = fmt::format("{} {}", adapter_version, reported_at);
  for (const auto& s : stretches)
    out += fmt::format(" {}/{}", s.unknown, s.records);
  return out;
}

RecentRecords RecentRecords::decode(std::string_view text) {
  RecentRecords out;
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return out;
  out.adapter_version = text.substr(0, space);
  text.remove_prefix(space + 1);
  out.reported_at = static_cast<TimeMs>(take_number(text).value_or(0));
  while (!text.empty()) {
    const auto unknown = take_number(text);
    const auto records = take_number(text);
    if (!unknown || !records || *unknown > *records) return out;
    out.stretches.push_back({*records, *unknown});
  }
  return out;
}

std::string recent_records_key(Platform platform) { return "recent_records." + std::string(to_string(platform)); }

}  // namespace memd
