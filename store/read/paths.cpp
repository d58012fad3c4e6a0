#include "store/read/file_history.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace memd {
namespace {

constexpr int kMostSimilar = 8;

void collect(sqlite::Statement& q, PathFinding& out) {
  while (q.step()) {
    if (static_cast<int>(out.paths.size()) == kMostPaths) {
      out.more = true;
      break;
    }
    out.paths.push_back({q.int64(0), q.str(1)});
  }
  q.reset();
}

std::string_view name_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_pattern(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

bool by_file(sqlite::Database& db, const std::string& text, PathFinding& out) {
  out.fit = PathFit::exact;
  if (text.starts_with('/') || text.find(':') == 1) {
    collect(db.prepare("SELECT path_pk, path FROM paths WHERE path = ?1 OR path = replace(?1, '/', '\\')").bind(text),
            out);
    return !out.paths.empty();
  }
  // With name = … the index gives the few paths whose ends are compared.
  const std::string name(name_of(text));
  auto& q = db.prepare(
      "SELECT path_pk, path FROM paths WHERE name = ?1 AND (path = ?2"
      " OR substr(replace(path, '\\', '/'), -length(?2) - 1) = '/' || ?2) ORDER BY path");
  q.bind(name, text);
  collect(q, out);
  if (out.paths.size() != 1 || out.paths.front().path != text) out.fit = PathFit::suffix;
  return !out.paths.empty();
}

bool by_directory(sqlite::Database& db, std::string text, PathFinding& out) {
  while (text.size() > 1 && text.ends_with('/'))
    text.pop_back();
  out.fit = PathFit::directory;
  const std::string first = text == "/" ? text : text + "/";
  std::string behind = first;
  behind.back() = '0';  // what comes behind '/'
  collect(
      db.prepare("SELECT path_pk, path FROM paths WHERE path >= ?1 AND path < ?2 ORDER BY path").bind(first, behind),
      out);
  if (!out.paths.empty() || text.starts_with('/')) return !out.paths.empty();
  const std::string slash = "/" + first;
  std::string backslash = slash;
  std::replace(backslash.begin(), backslash.end(), '/', '\\');
  auto& q =
      db.prepare("SELECT path_pk, path FROM paths WHERE instr(path, ?1) > 0 OR instr(path, ?2) > 0 ORDER BY path");
  q.bind(slash, backslash);
  collect(q, out);
  return !out.paths.empty();
}

// What the last part of every path that fits has to fit as well; '*' stands for '/' too, so what stands before the last
// one may fit a directory. Empty: nothing is known of it.
std::string name_pattern(std::string_view pattern) {
  std::string_view last = name_of(pattern);
  if (last.find('[') != std::string_view::npos || last.find(']') != std::string_view::npos) return {};
  if (const auto star = last.rfind('*'); star != std::string_view::npos) last.remove_prefix(star);
  return std::string(last);
}

bool by_pattern(sqlite::Database& db, const std::string& text, PathFinding& out) {
  out.fit = PathFit::pattern;
  const bool of_names = text.find('/') == std::string::npos;
  const std::string whole = of_names ? "*" : text.starts_with('/') || text.starts_with('*') ? text : "*/" + text;
  const std::string name = of_names ? text : name_pattern(text);
  // A name is reckoned from its path: thousands of them are looked at where they stand ready, in the index.
  auto& q = name.find_first_not_of('*') == std::string::npos
                ? db.prepare("SELECT path_pk, path FROM paths WHERE replace(path, '\\', '/') GLOB ?2 ORDER BY path")
                : db.prepare(
                      "SELECT p.path_pk, p.path FROM (SELECT path_pk AS pk FROM paths INDEXED BY paths_by_name"
                      " WHERE name GLOB ?1) CROSS JOIN paths p ON p.path_pk = pk"
                      " WHERE replace(p.path, '\\', '/') GLOB ?2 ORDER BY p.path");
  q.bind_at(1, name);
  q.bind_at(2, whole);
  collect(q, out);
  return !out.paths.empty();
}

void add_similar(sqlite::Database& db, std::string_view text, PathFinding& out) {
  while (text.ends_with('/'))
    text.remove_suffix(1);
  std::string_view stem = name_of(text);
  if (const auto dot = stem.rfind('.'); dot != std::string_view::npos && dot > 0) stem = stem.substr(0, dot);
  if (stem.size() < 3) return;
  // The index alone says which names hold it.
  const std::string part(stem);
  auto& q = db.prepare(
      "SELECT p.path FROM (SELECT path_pk AS pk, length(name) AS n FROM paths INDEXED BY paths_by_name"
      " WHERE instr(lower(name), lower(?1)) > 0 ORDER BY n LIMIT ?2) JOIN paths p ON p.path_pk = pk ORDER BY n, "
      "p.path");
  q.bind(part, kMostSimilar);
  while (q.step())
    out.similar.push_back(q.str(0));
  q.reset();
}

}  // namespace

PathFinding PathQuery::run(sqlite::Database& db) const {
  std::string path(text);
  std::replace(path.begin(), path.end(), '\\', '/');
  while (path.starts_with("./"))
    path.erase(0, 2);
  PathFinding out;
  if (path.empty()) return out;
  const bool directory = path.ends_with('/');
  if (!directory && by_file(db, path, out)) return out;
  // A directory may be named like a pattern: app/[id].
  if ((is_pattern(path) && by_pattern(db, path, out)) || by_directory(db, path, out)) return out;
  out.fit = PathFit::none;
  add_similar(db, path, out);
  return out;
}

}  // namespace memd
