#pragma once

#include "bench/retrieval/question.hpp"
#include "bench/served_memd.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace memd::bench {

// The requested depth of a list. Further pages are fetched until both numbers are reached.
struct Depth {
  std::size_t hits = 10;
  std::size_t sessions = 0;
};

// The tool `semantic_search` of a running daemon, over its socket. One thread. Throws std::runtime_error when the tool
// answers with an error.
class SearchTool {
 public:
  explicit SearchTool(const std::string& socket);

  bool has_mode() const { return has_mode_; }  // whether tools/list offers the argument `mode`

  // Searches. `mode`: hybrid, lexical or semantic. `directory`: where the question is asked from. `also`: alternative
  // phrasings. Empty arguments are not sent.
  RankedList search(const std::string& question, const std::string& mode, Depth depth,
                    const std::string& directory = {}, const std::vector<std::string>& also = {});

 private:
  RpcClient client_;
  bool has_mode_ = false;
};

// A ServedHome with the exchanges of its store. One thread; owns the daemon. Throws std::runtime_error.
class IndexedHome {
 public:
  // `write` fills the empty home.
  IndexedHome(const std::filesystem::path& memd, const std::function<void(const std::filesystem::path& home)>& write);

  // Returns all exchanges of the store, ordered by session and number.
  const std::vector<Document>& documents() const { return documents_; }
  // Returns the exchanges of one session, in order. Throws when the store does not have it.
  std::vector<const Document*> session(const std::string& uid) const;
  SearchTool& tool() { return *tool_; }
  // Until then searches have no second look.
  void look_again() { served_.look_again(); }
  std::filesystem::path database() const { return served_.database(); }

 private:
  void load();

  ServedHome served_;
  std::unique_ptr<SearchTool> tool_;
  std::vector<Document> documents_;
};

}  // namespace memd::bench
