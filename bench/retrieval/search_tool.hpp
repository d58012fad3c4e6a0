#pragma once

#include "bench/retrieval/question.hpp"
#include "bench/rpc_client.hpp"

#include <cstddef>
#include <string>

namespace memd::bench {

// How far a list is asked for: pages follow until both are reached, or there is no more.
struct Depth {
  std::size_t hits = 10;
  std::size_t sessions = 0;
};

// The tool `semantic_search` of a running daemon, over its socket. Throws std::runtime_error when it answers with an
// error.
class SearchTool {
 public:
  explicit SearchTool(const std::string& socket);

  bool has_mode() const { return has_mode_; }  // as this memd's tools/list says

  // `mode`: hybrid, lexical, semantic; empty: not sent.
  RankedList search(const std::string& question, const std::string& mode, Depth depth);

 private:
  RpcClient client_;
  bool has_mode_ = false;
};

}  // namespace memd::bench
