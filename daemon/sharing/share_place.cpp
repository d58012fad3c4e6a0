#include "daemon/sharing/share_place.hpp"

#include "daemon/sharing/segment.hpp"
#include "protocol/mcp/described_json.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"

#include <algorithm>

namespace memd::sharing {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kEnding = ".memd";
constexpr const char* kShare = "share.json";
constexpr std::string_view kMemberEnding = ".json";
constexpr std::size_t kMostSegment = std::size_t{256} << 20;
constexpr std::size_t kMostName = 128;  // bytes; file systems take 255, temporary names are longer

// Ids and names of files come from other machines, and a project's name goes to the shell of a host.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostName && name.front() != '.' && name.front() != '-' &&
         std::none_of(name.begin(), name.end(),
                      [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '/' || c == '\\' || c == '\''; });
}

}  // namespace

Result<SharePlace> SharePlace::of(const fs::path& place, std::string_view project) {
  if (!is_plain_name(project))
    return Error(Errc::invalid_argument, "\"" + harmless_line(project) + "\" cannot be the name of a share");
  return SharePlace(files::ScopeRoot(place, std::string(project) + std::string(kEnding)));
}

std::vector<std::string> SharePlace::projects_at(const fs::path& place) {
  std::vector<std::string> out = files::ScopeRoot(place).names({}, kEnding);
  for (auto& name : out)
    name.resize(name.size() - kEnding.size());
  return out;
}

Result<ShareFile> SharePlace::share() const {
  MEMD_TRY_ASSIGN(const std::string text, files_.read(kShare));
  auto out = mcp::from_json<ShareFile>(text);
  const std::string path = (directory() / kShare).string();
  if (!out) return Error(Errc::store_corrupt, path + " is damaged: " + out.error().message());
  if (out->v > ShareFile().v) return Error(Errc::unsupported, path + " is of a newer memd: update this one");
  return out;
}

Result<void> SharePlace::make(const ShareFile& share) const {
  return files_.create(kShare, mcp::to_json(share, mcp::Texts::as_they_are) + "\n", files::OnDisk::now);
}

std::vector<Member> SharePlace::members() const {
  std::vector<Member> out;
  for (const std::string& name : files_.names("members", kMemberEnding)) {
    const auto text = files_.read("members/" + name);
    auto member = text ? mcp::from_json<Member>(*text) : Result<Member>(text.error());
    if (member && is_plain_name(member->machine) && member->machine + ".json" == name) out.push_back(*member);
  }
  return out;
}

Result<void> SharePlace::write(const Member& member) const {
  return files_.write("members/" + member.machine + ".json", mcp::to_json(member, mcp::Texts::as_they_are) + "\n",
                      files::OnDisk::now);
}

std::vector<std::string> SharePlace::keys(const std::string& machine) const { return files_.names("keys/" + machine); }

Result<std::string> SharePlace::read_key(const std::string& machine, const std::string& name) const {
  return files_.read("keys/" + machine + "/" + name);
}

Result<void> SharePlace::write_key(const std::string& machine, const std::string& name, std::string_view box) const {
  return files_.write("keys/" + machine + "/" + name, box, files::OnDisk::now);
}

std::vector<std::string> SharePlace::machines() const {
  std::vector<std::string> out = files_.names("segments");
  std::erase_if(out, [](const std::string& name) { return !is_plain_name(name); });
  return out;
}

std::vector<std::string> SharePlace::segments(const std::string& machine) const {
  std::vector<std::string> out = files_.names("segments/" + machine, kSegmentEnding);
  std::erase_if(out, [](const std::string& name) { return !is_plain_name(name); });
  return out;
}

Result<std::string> SharePlace::read_segment(const std::string& machine, const std::string& name) const {
  const std::string path = path_of_segment(machine, name);
  MEMD_TRY_ASSIGN(std::string file, read(path));
  if (name_of(file) != name) return Error(Errc::store_corrupt, path + ": its content has another hash");
  return file;
}

bool SharePlace::has_segment(const SharedSegmentRow& segment) const {
  const auto facts = files_.facts(path_of_segment(segment.machine, segment.name));
  return facts && facts->bytes == segment.bytes;
}

Result<void> SharePlace::write_segment(const std::string& machine, const std::string& name,
                                       std::string_view file) const {
  return files_.write(path_of_segment(machine, name), file, files::OnDisk::now);
}

Result<void> SharePlace::remove_segment(const std::string& machine, const std::string& name) const {
  return remove(path_of_segment(machine, name));
}

std::string SharePlace::path_of_segment(const std::string& machine, const std::string& name) {
  return "segments/" + machine + "/" + name;
}

std::string SharePlace::machine_of(std::string_view path) {
  const auto slash = path.find('/');
  if (slash == std::string_view::npos) return {};
  const auto folder = path.substr(0, slash);
  std::string_view name = path.substr(slash + 1);
  if (folder == "members" && name.ends_with(kMemberEnding)) {
    name.remove_suffix(kMemberEnding.size());
    return is_plain_name(name) ? std::string(name) : std::string();
  }
  const auto end = std::min(name.find('/'), name.size());
  const std::string_view file = name.substr(std::min(end + 1, name.size()));
  const bool is_known = folder == "keys" || (folder == "segments" && file.ends_with(kSegmentEnding));
  return is_known && is_plain_name(file) && is_plain_name(name.substr(0, end)) ? std::string(name.substr(0, end))
                                                                               : std::string();
}

bool SharePlace::is_head(std::string_view path) { return path == kShare; }

std::vector<std::string> SharePlace::paths() const {
  std::vector<std::string> out;
  if (files_.has_file(kShare)) out.emplace_back(kShare);
  for (const auto& name : files_.names("members", kMemberEnding))
    out.push_back("members/" + name);
  for (const std::string folder : {"keys/", "segments/"})
    for (const auto& machine : files_.names(folder))
      for (const auto& name : files_.names(folder + machine))
        out.push_back(folder + machine + "/" + name);
  std::erase_if(out, [](const std::string& path) { return !is_head(path) && machine_of(path).empty(); });
  return out;
}

Result<std::string> SharePlace::read(const std::string& path) const { return files_.read(path, kMostSegment); }

Result<void> SharePlace::write(const std::string& path, std::string_view file) const {
  if (!is_head(path) && machine_of(path).empty())
    return Error(Errc::protocol, "\"" + harmless_line(path) + "\" is no file of a share");
  return files_.write(path, file, files::OnDisk::now);
}

Result<void> SharePlace::remove(const std::string& path) const {
  const auto removed = files_.remove(path);
  return removed || removed.error().is(Errc::not_found) ? Result<void>() : removed;
}

std::vector<fs::path> SharePlace::watched() const {
  std::vector<fs::path> out{directory() / "members", directory() / "keys", directory() / "segments"};
  for (const char* name : {"keys", "segments"})
    for (const auto& machine : files_.names(name))
      out.push_back(directory() / name / machine);
  return out;
}

}  // namespace memd::sharing
