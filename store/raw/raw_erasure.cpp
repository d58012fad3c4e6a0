#include "store/raw/raw_erasure.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/ids.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/raw/raw_file.hpp"
#include "store/raw/raw_rows.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <system_error>

namespace memd::raw {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kReadable = 64;

// Returns the session encoded in a name from FrameHeader::file_name(); empty for the file of a source.
std::string session_of(std::string_view name) {
  constexpr std::string_view kBefore = "platform=";
  constexpr std::string_view kEnd = ".jsonl.zst";
  const std::size_t slash = name.find('/');
  if (!name.starts_with(kBefore) || !name.ends_with(kEnd) || slash == std::string_view::npos) return {};
  const auto platform = stored_platform(name.substr(kBefore.size(), slash - kBefore.size()));
  name = name.substr(slash + 1, name.size() - slash - 1 - kEnd.size());
  std::string native;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool escaped =
        name[i] == '%' && i + 2 < name.size() && ascii::is_hex(name[i + 1]) && ascii::is_hex(name[i + 2]);
    native += escaped ? static_cast<char>(ascii::hex_value(name[i + 1]) * 16 + ascii::hex_value(name[i + 2])) : name[i];
    if (escaped) i += 2;
  }
  return make_session_uid(platform, native);
}

class Eraser {
 public:
  Eraser(sqlite::Database& db, const fs::path& directory, const FrameSeal& seal, const Erasure& erasure)
      : db_(db), rows_(db), directory_(directory), seal_(seal), erasure_(erasure) {}

  std::uint64_t run() {
    std::set<std::string> names;
    for (auto& row : rows_.files())
      names.insert(row.name);
    for (auto& name : raw_file_names(directory_))
      names.insert(std::move(name));
    remove_unfinished();
    std::uint64_t freed = 0;
    for (const auto& name : names)
      if (erasure_.session(session_of(name)))
        freed += remove(name);
      else
        freed += blank(name);
    return freed;
  }

 private:
  // Removes temporary files of killed processes.
  void remove_unfinished() {
    std::error_code ec;
    std::vector<fs::path> found;
    for (fs::recursive_directory_iterator it(directory_, ec), end; !ec && it != end; it.increment(ec))
      if (it->path().extension() == ".new") found.push_back(it->path());
    for (const auto& file : found)
      unlink(file);
  }

  static void unlink(const fs::path& file) {
    std::error_code ec;
    fs::remove(file, ec);
    if (ec) throw ErrorException(Error(ec, "remove " + file.string()));
  }

  // Removes the rows first: a file without rows is still found by its name.
  std::uint64_t remove(const std::string& name) {
    sqlite::Transaction transaction(db_);
    rows_.remove_file(name);
    transaction.commit();
    const fs::path path = directory_ / name;
    std::error_code ec;
    const auto size = fs::file_size(path, ec);
    const std::uint64_t freed = ec ? 0 : size;
    unlink(path);
    return freed;
  }

  std::uint64_t blank(const std::string& name) {
    const auto row = rows_.file(name);
    const auto file = FileBytes::open(directory_ / name);
    if (!file && file.error().is(Errc::not_found)) return 0;
    if (!file) throw ErrorException(file.error());
    const auto scan = scan_frames(file->bytes(), name, seal_);
    if (!scan) throw ErrorException(scan.error());
    std::vector<BlankedFrame> frames;
    for (const auto& f : scan->frames)
      frames.push_back(blank_records(f.frame, file->bytes().substr(f.offset)));
    // A damaged stretch is dropped as well: it is unreadable, and its content is unknown.
    if (scan->damages.empty() &&
        std::all_of(frames.begin(), frames.end(), [](const BlankedFrame& f) { return f.stays; }))
      return 0;

    sqlite::Transaction transaction(db_);
    if (row) rows_.drop_frames(row->pk, 0);
    std::string content;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto& f = scan->frames[i];
      if (frames[i].is_damaged) continue;
      const std::uint64_t offset = content.size();
      content += frames[i].stays
                     ? seal_.wrap(std::string(f.frame.plain(file->bytes().substr(f.offset))), {name, offset})
                     : seal_.encode(f.frame.header, frames[i].packed, {name, offset});
      if (row)
        rows_.add_frame(row->pk, offset, content.size() - offset, rows_.source_of(f.frame.header), f.frame.header);
    }
    if (content.size() == file->bytes().size()) content += kEmptyFrame;  // see RawLayer::merge_small_frames()
    if (row) {
      FileRow changed = *row;
      changed.length = content.size();
      rows_.save(changed);
    }
    if (auto done = replace_file(directory_ / name, 0, content); !done) throw ErrorException(done.error());
    transaction.commit();
    return file->bytes().size() - std::min<std::uint64_t>(file->bytes().size(), content.size());
  }

  struct BlankedFrame {
    bool stays = true;
    bool is_damaged = false;
    std::string packed;  // the compressed content without the erased records
  };
  BlankedFrame blank_records(const ParsedFrame& frame, std::string_view bytes) {
    const FrameHeader& header = frame.header;
    if (frame.content_size == 0 || header.kind == FrameKind::evicted) return {};
    auto content = codec_.unpack(frame.packed_content(bytes), header.content_bytes(), kReadable);
    if (!content) return {false, true, {}};
    const std::size_t size = content->size() - kReadable;
    bool changed = false;
    std::size_t at = 0;
    for (const Part& part : header.parts) {
      const std::size_t first = at;
      const std::size_t part_end = std::min<std::size_t>(size, first + part.length);
      std::uint64_t item = part.items && !part.items->has_head ? part.items->keep + 1 : 0;
      while (at < part_end) {
        const bool lines = header.kind != FrameKind::document;
        const std::size_t end = lines ? std::min(content->find('\n', at), part_end) : part_end;
        const std::uint64_t place = part.items ? item : part.first + (at - first);
        if (end > at && erasure_.record(header, std::string_view(*content).substr(at, end - at), place)) {
          std::fill(content->begin() + static_cast<std::ptrdiff_t>(at),
                    content->begin() + static_cast<std::ptrdiff_t>(end), ' ');
          changed = true;
        }
        at = end + 1;
        if (part.items) item = item == 0 ? part.items->keep + 1 : item + 1;
      }
      at = part_end;
    }
    if (erasure_.mask && erasure_.mask(std::span(*content).first(size)) > 0) changed = true;
    if (!changed) return {};
    return {false, false, codec_.pack(std::string_view(*content).substr(0, size))};
  }

  sqlite::Database& db_;
  RawRows rows_;
  const fs::path& directory_;
  const FrameSeal& seal_;
  const Erasure& erasure_;
  FrameCodec codec_;
};

}  // namespace

std::uint64_t erase(sqlite::Database& db, const fs::path& directory, const FrameSeal& seal, const Erasure& erasure) {
  return Eraser(db, directory, seal, erasure).run();
}

}  // namespace memd::raw
