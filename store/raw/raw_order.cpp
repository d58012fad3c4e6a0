#include "store/raw/raw_order.hpp"

#include "store/raw/raw_file.hpp"

#include <algorithm>

namespace memd::raw {
namespace {
constexpr std::uint64_t kLoadedBytes = 64 << 20;
constexpr std::size_t kRawOrderPadding = 64;
}  // namespace

RawOrder::RawOrder(std::filesystem::path directory) : directory_(std::move(directory)) {}

Result<void> RawOrder::scan() {
  files_ = raw_file_names(directory_);
  for (std::uint32_t file = 0; file < files_.size(); ++file) {
    MEMD_TRY_ASSIGN(const auto mapped, MappedFile::open(directory_ / files_[file]));
    const RawScan scan = scan_frames(mapped.bytes());
    damaged_bytes_ += scan.damaged_bytes;
    for (const auto& f : scan.frames) {
      const auto& parts = f.frame.header.parts;
      const auto frame = static_cast<std::uint32_t>(frames_.size());
      frames_.push_back({file, static_cast<std::uint32_t>(parts.size()), f.offset, f.frame.length});
      for (std::uint32_t i = 0; i < parts.size(); ++i)
        order_.push_back({parts[i].number, frame, i});
      content_bytes_ += f.frame.header.content_bytes();
    }
  }
  std::sort(order_.begin(), order_.end(), [](const SlicePlace& a, const SlicePlace& b) { return a.number < b.number; });
  return {};
}

RawOrder::Loaded* RawOrder::load(std::uint32_t frame) {
  if (const auto it = loaded_.find(frame); it != loaded_.end()) {
    uses_.splice(uses_.begin(), uses_, it->second.use);
    return &it->second;
  }
  const FramePlace& place = frames_[frame];
  const auto file = MappedFile::open(directory_ / files_[place.file]);
  if (!file || file->bytes().size() < place.offset + place.length) return nullptr;
  const auto bytes = file->bytes().substr(place.offset, place.length);
  auto parsed = parse_frame(bytes);
  if (!parsed) return nullptr;
  Loaded loaded;
  const std::uint64_t size = parsed->header.content_bytes();
  if (size > 0) {
    auto content = codec_.unpack(bytes.substr(parsed->content_at), size, kRawOrderPadding);
    if (!content) return nullptr;
    loaded.content = std::move(*content);
  } else {
    loaded.content.assign(kRawOrderPadding, '\0');
  }
  loaded.header = std::move(parsed->header);
  std::uint64_t begin = 0;
  for (const auto& part : loaded.header.parts) {
    loaded.begins.push_back(begin);
    begin += part.length;
  }
  while (!uses_.empty() && loaded_bytes_ + loaded.content.size() > kLoadedBytes)
    unload(uses_.back());
  loaded_bytes_ += loaded.content.size();
  uses_.push_front(frame);
  loaded.use = uses_.begin();
  return &loaded_.emplace(frame, std::move(loaded)).first->second;
}

void RawOrder::unload(std::uint32_t frame) {
  const auto it = loaded_.find(frame);
  loaded_bytes_ -= it->second.content.size();
  uses_.erase(it->second.use);
  loaded_.erase(it);
}

Result<void> RawOrder::for_each(const Visit& visit) {
  for (const auto& place : order_) {
    Loaded* frame = load(place.frame);
    if (frame == nullptr) {
      damaged_bytes_ += frames_[place.frame].slices_left > 0 ? frames_[place.frame].length : 0;
      frames_[place.frame].slices_left = 0;
      continue;
    }
    const Part& part = frame->header.parts[place.part];
    MEMD_TRY(
        visit(frame->header, part, std::string_view(frame->content).substr(frame->begins[place.part], part.length)));
    if (--frames_[place.frame].slices_left == 0) unload(place.frame);
  }
  return {};
}

}  // namespace memd::raw
