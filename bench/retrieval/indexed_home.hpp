#pragma once

#include "bench/retrieval/question.hpp"
#include "bench/retrieval/search_tool.hpp"
#include "bench/served_home.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace memd::bench {

// A home with agents' histories, and a memd daemon of its own that has read and enriched all of it.
// Throws std::runtime_error.
class IndexedHome {
 public:
  // `write` fills the home it is given.
  IndexedHome(const std::filesystem::path& memd, const std::function<void(const std::filesystem::path& home)>& write);

  // Exchanges of the store, by session and number.
  const std::vector<Document>& documents() const { return documents_; }
  // Those of a session, in order; throws when it is not in the store.
  std::vector<const Document*> session(const std::string& uid) const;
  SearchTool& tool() { return *tool_; }
  std::filesystem::path database() const { return served_.database(); }

 private:
  void load();

  ServedHome served_;
  std::unique_ptr<SearchTool> tool_;
  std::vector<Document> documents_;
};

}  // namespace memd::bench
