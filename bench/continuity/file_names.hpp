#pragma once

#include <set>
#include <string>
#include <string_view>

namespace memd::bench {

// The files a session has touched, and how a text has to name one of them so that a reader knows which is meant.
class FileNames {
 public:
  void add(std::string_view path) { paths_.emplace(path); }
  bool contains(const std::string& path) const { return paths_.contains(path); }
  const std::set<std::string>& paths() const { return paths_; }

  // The name under which a file counts, once: of a relative path the only known one that ends with it, of an unknown
  // absolute one the only relative one it ends with.
  std::string canonical(std::string_view path) const;

  // The shortest end of the path, by whole components, that no other known path has: "watcher.go",
  // "strategy/hooks.go".
  std::string telling_end(std::string_view path) const;

  // The telling end stands in `text`, as a part of a longer path or alone; or its directory and, behind it on the same
  // line, its last component ("strategy/: hooks.go, common.go").
  bool named_in(std::string_view text, std::string_view path) const;

 private:
  std::set<std::string> paths_;
};

}  // namespace memd::bench
