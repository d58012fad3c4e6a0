#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/memory.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

// The JSON files next to memories. Input may come from other programs; output has one line per memory or edge, in the
// order of the slugs. Pure. The only JSON parser in store/; the schemas are in schemas/json.
namespace memd::memory {

// A line of index.json.
struct IndexEntry : MemoryHead {
  std::string file_path;  // absolute
  bool has_embedding = false;
  friend bool operator==(const IndexEntry&, const IndexEntry&) = default;
};
inline constexpr std::string_view kIndexVersion = "1.0.0";
struct MemoryIndex {
  std::string version{kIndexVersion};
  TimeMs last_updated = 0;
  std::map<std::string, IndexEntry, std::less<>> memories;
};
IndexEntry index_entry(const Memory& memory, bool has_embedding);
std::string index_line(const IndexEntry& entry);  // "slug":{…}
std::string index_head(TimeMs last_updated);      // everything before the first entry
inline constexpr std::string_view kIndexTail = "\n}}\n";
std::string index_text(const MemoryIndex& index);
// Returns Errc::store_corrupt if it is not JSON or not of this shape.
Result<MemoryIndex> parse_index(std::string_view json);

// graph.json: the outgoing edges of each memory.
using EdgeLists = std::map<std::string, std::vector<MemoryEdge>, std::less<>>;
std::string graph_text(const EdgeLists& edges);
Result<EdgeLists> parse_graph(std::string_view json);

// indexes/manifest.json of the repository dialect. `root`: the project's directory, to which paths are relative.
std::string manifest_text(const std::vector<Memory>& memories, const std::filesystem::path& root, TimeMs generated_at);

// .embedding-cache/<slug>.json
struct CachedEmbedding {
  std::string slug;
  std::string model;
  std::vector<float> vector;
  std::string content_hash;  // SHA-256 of the memory's content in hexadecimal digits
  TimeMs computed = 0;
};
std::string embedding_text(const CachedEmbedding& cached);
Result<CachedEmbedding> parse_embedding(std::string_view json);

}  // namespace memd::memory
