#include "test/fault/hostile_repository.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace memd::test {
namespace {

namespace fs = std::filesystem;

std::string plugin_memory(std::string_view title, std::string_view text) {
  return "---\ntype: learning\ntags: [test, hostile]\ncreated: \"2026-01-10T10:00:00Z\"\nupdated: "
         "\"2026-01-10T10:00:00Z\"\nlinks: []\n---\n\n# " +
         std::string(title) + "\n\n" + std::string(text) + " See `src/a.cpp`.\n";
}

std::string document(std::string_view id, std::string_view text) {
  return "---\nid: " + std::string(id) +
         "\nkind: fact\ntitle: A fact\ntags: []\ncreated: \"2026-01-10T10:00:00Z\"\nupdated: "
         "\"2026-01-10T10:00:00Z\"\nprovenance: {events: [], patches: [], commits: []}\nverification: "
         "{last_verified_commit: null, status: unknown}\n---\n\n" +
         std::string(text) + "\n";
}

bool tree_has(const fs::path& directory, std::string_view text) {
  constexpr std::uintmax_t kMostSearched = std::uintmax_t{64} << 20;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (!entry.is_symlink() && entry.is_regular_file() && entry.file_size() < kMostSearched &&
        bytes_of(entry.path()).find(text) != std::string::npos)
      return true;
  return false;
}

constexpr const char* kMemories = ".claude/memory/";

}  // namespace

HostileWorld::HostileWorld(Peaceful) {
  const std::string marker(kOutsideMarker);
  write_file(outside() / "secret.md", plugin_memory("The plan " + marker, marker));
  write_file(outside() / "plain.txt", "user:" + marker + "\n");
  for (const char* name : {"memory", "memory/local", "local", "rules", "facts"})
    write_file(outside() / name / "learning-private.md", plugin_memory("Private " + marker, marker));
  write_file(outside() / "rules/private.mdc", marker + "\n");
  write_file(outside() / "facts/private.md", document("fact.private", marker));
  write_file(outside() / "memory/facts/private.md", document("fact.private", marker));
  write_file(outside() / "memory/CLAUDE.md", marker + "\n");
  write_file(outside() / "CLAUDE.md", marker + "\n");
  write_file(outside() / "trash/learning-old@1.md", plugin_memory("Old " + marker, marker));
  write_file(outside() / "trash/learning-old@1.json", "{}");
  write_file(outside() / "cache/learning-good.json", "{\"slug\":\"" + marker + "\"}");
  write_file(outside() / "graph.json", "{\"learning-good\":[{\"target\":\"" + marker + "\",\"label\":\"" + marker +
                                           "\",\"created\":\"2026-01-10T10:00:00Z\"}]}");
  write_file(outside() / "config.json", "{\"quality\":{\"orphanThreshold\":\"" + marker + "\"}}");
  write_file(outside() / "pending", "undo learning-" + marker + " - - 1 .\n");
  write_file(repo() / kMemories / "learning-good.md", plugin_memory("Good to know", kGoodTexts[0]));
  write_file(repo() / kMemories / "learning-more.md", plugin_memory("More to know", kGoodTexts[1]));
  write_file(repo() / ".thunderus/memory/facts/good.md", document("fact.good", kGoodTexts[2]));
  write_file(repo() / "src/a.cpp", "int a;\n");
  write_file(home() / ".claude/memory/learning-own.md", plugin_memory("My own", "Of the user."));
  write_file(config(), "memory:\n  opt_in: true\n  write: allow\nlog:\n  level: error\n");
  const std::string git =
      "git -c init.defaultBranch=main -c user.name=a -c user.email=a@b.c -C '" + repo().string() + "' ";
  const std::string all = git + "init -q --template= && " + git + "add -A && " + git + "commit -q -m first";
  if (std::system(all.c_str()) != 0) throw std::runtime_error("git failed");
}

HostileWorld::HostileWorld() {
  static const HostileWorld kPeaceful{Peaceful()};
  fs::copy(kPeaceful.path(), path(), fs::copy_options::recursive);
}

fs::path HostileWorld::fresh(const std::string& path) const {
  const fs::path out = repo() / path;
  fs::remove_all(out);
  fs::create_directories(out.parent_path());
  return out;
}

void HostileWorld::link(const std::string& path, const fs::path& target) const {
  // What was there stays in the repository, so that nothing counts as lost.
  const fs::path at = repo() / path;
  if (fs::exists(fs::symlink_status(at))) fs::rename(at, repo() / "kept");
  fs::create_directories(at.parent_path());
  fs::create_symlink(target, at);
}

void HostileWorld::fifo(const std::string& path) const {
  if (::mkfifo(fresh(path).c_str(), 0600) != 0) throw std::runtime_error("mkfifo failed");
}

void HostileWorld::socket(const std::string& path) const {
  // A path may be too long for a socket, its name is not.
  const fs::path at = fresh(path);
  const fs::path before = fs::current_path();
  fs::current_path(at.parent_path());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = at.filename().string();
  std::copy(name.begin(), name.end(), address.sun_path);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const int bound = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::close(fd);
  fs::current_path(before);
  if (bound != 0) throw std::runtime_error("bind failed");
}

void HostileWorld::huge(const std::string& path, std::string_view begin) const {
  const fs::path at = fresh(path);
  write_file(at, begin);
  fs::resize_file(at, std::uintmax_t{3} << 30);
}

void HostileWorld::file(const std::string& path, std::string_view text) const { write_file(fresh(path), text); }

void HostileWorld::directory(const std::string& path) const { fs::create_directories(fresh(path)); }

std::map<std::string, std::string> HostileWorld::outside_files() const {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(outside()))
    out[entry.path().string()] = entry.is_regular_file() ? bytes_of(entry.path()) : std::string();
  return out;
}

std::vector<std::string_view> HostileWorld::lost() const {
  std::vector<std::string_view> out;
  for (const std::string_view text : kGoodTexts)
    if (!tree_has(repo(), text)) out.push_back(text);
  return out;
}

bool HostileWorld::store_has(std::string_view text) const { return fs::exists(data()) && tree_has(data(), text); }

const std::vector<HostileVariant>& hostile_variants() {
  using World = const HostileWorld&;
  static const std::vector<HostileVariant> kAll{
      // A memory that leads out.
      {"memory: absolute link", [](World w) { w.link(".claude/memory/learning-x.md", w.outside() / "secret.md"); }},
      {"memory: relative link", [](World w) { w.link(".claude/memory/learning-x.md", "../../../outside/secret.md"); }},
      {"memory: link to no memory", [](World w) { w.link(".claude/memory/learning-x.md", w.outside() / "plain.txt"); }},
      {"memory: link through a linked directory",
       [](World w) {
         w.link(".claude/memory/sub", w.outside());
         w.link(".claude/memory/learning-x.md", "sub/secret.md");
       }},
      {"memory: link through /proc",
       [](World w) {
         w.link(".claude/memory/learning-x.md", "/proc/self/root" + (w.outside() / "secret.md").string());
       }},
      {"memory: link to the environment",
       [](World w) { w.link(".claude/memory/learning-x.md", "/proc/self/environ"); }},
      {"memory: links in a circle",
       [](World w) {
         w.link(".claude/memory/learning-x.md", "learning-y.md");
         w.link(".claude/memory/learning-y.md", "learning-x.md");
       }},
      {"document: link", [](World w) { w.link(".thunderus/memory/facts/x.md", w.outside() / "facts/private.md"); }},
      // A directory that leads out.
      {"directory: .claude", [](World w) { w.link(".claude", w.outside()); }},
      {"directory: memory", [](World w) { w.link(".claude/memory", w.outside() / "memory"); }},
      {"directory: local", [](World w) { w.link(".claude/memory/local", "../../../outside/local"); }},
      {"directory: .thunderus", [](World w) { w.link(".thunderus", w.outside()); }},
      {"directory: documents", [](World w) { w.link(".thunderus/memory", "../../outside/memory"); }},
      {"directory: facts", [](World w) { w.link(".thunderus/memory/facts", w.outside() / "facts"); }},
      {"directory: rules", [](World w) { w.link(".cursor/rules", w.outside() / "rules"); }},
      {"directory: .trash", [](World w) { w.link(".claude/memory/.trash", w.outside() / "trash"); }},
      {"directory: cache", [](World w) { w.link(".claude/memory/.embedding-cache", w.outside() / "cache"); }},
      {"directory: indexes", [](World w) { w.link(".thunderus/memory/indexes", w.outside() / "memory"); }},
      {"directory: loop", [](World w) { w.link(".thunderus/memory/facts/again", ".."); }},
      // Instructions that lead out.
      {"instructions: CLAUDE.md", [](World w) { w.link("CLAUDE.md", "../outside/CLAUDE.md"); }},
      {"instructions: all others",
       [](World w) {
         for (const char* name : {"AGENTS.md", "GEMINI.md", "CLAUDE.local.md", ".claude/CLAUDE.md"})
           w.link(name, w.outside() / "CLAUDE.md");
       }},
      // memd's own files that lead out.
      {"own: index.json", [](World w) { w.link(".claude/memory/index.json", w.outside() / "graph.json"); }},
      {"own: graph.json", [](World w) { w.link(".claude/memory/graph.json", w.outside() / "graph.json"); }},
      {"own: .lock", [](World w) { w.link(".claude/memory/.lock", w.outside() / "made-by-memd"); }},
      {"own: .pending", [](World w) { w.link(".claude/memory/.pending", w.outside() / "pending"); }},
      {"own: .gitignore", [](World w) { w.link(".claude/memory/.gitignore", w.outside() / "made-by-memd"); }},
      {"own: config.json", [](World w) { w.link(".claude/memory/config.json", w.outside() / "config.json"); }},
      {"own: gardener.json", [](World w) { w.link(".thunderus/memory/gardener.json", w.outside() / "config.json"); }},
      {"own: .pending leads out by name",
       [](World w) { w.file(".claude/memory/.pending", "undo ../../../../outside/secret - - 1 .\n"); }},
      {"own: .pending of documents leads out by name",
       [](World w) { w.file(".thunderus/memory/.pending", "remove ../../../outside/secret - - 1 .\n"); }},
      // Nobody ever writes into these.
      {"FIFO: memory", [](World w) { w.fifo(".claude/memory/learning-x.md"); }},
      {"FIFO: config.json", [](World w) { w.fifo(".claude/memory/config.json"); }},
      {"FIFO: .pending", [](World w) { w.fifo(".claude/memory/.pending"); }},
      {"FIFO: .lock", [](World w) { w.fifo(".claude/memory/.lock"); }},
      {"FIFO: index and graph",
       [](World w) {
         w.fifo(".claude/memory/index.json");
         w.fifo(".claude/memory/graph.json");
       }},
      {"FIFO: instructions",
       [](World w) {
         w.fifo("CLAUDE.md");
         w.fifo(".cursor/rules/x.mdc");
       }},
      {"FIFO: trash and cache",
       [](World w) {
         w.fifo(".claude/memory/.trash/learning-x@1.md");
         w.fifo(".claude/memory/.embedding-cache/learning-good.json");
       }},
      {"FIFO: gardener.json", [](World w) { w.fifo(".thunderus/memory/gardener.json"); }},
      {"socket: memory", [](World w) { w.socket(".claude/memory/learning-x.md"); }},
      // What does not fit.
      {"huge: CLAUDE.md", [](World w) { w.huge("CLAUDE.md", "# Rules\n"); }},
      {"huge: memory", [](World w) { w.huge(".claude/memory/learning-x.md", plugin_memory("Long", "text")); }},
      {"huge: config.json", [](World w) { w.huge(".claude/memory/config.json", "{}"); }},
      {"huge: graph.json", [](World w) { w.huge(".claude/memory/graph.json", "{}"); }},
      {"huge: index.json and .pending",
       [](World w) {
         w.huge(".claude/memory/index.json", "{}");
         w.huge(".claude/memory/.pending", "undo ");
       }},
      {"name: a directory", [](World w) { w.directory(".claude/memory/learning-x.md"); }},
      {"name: directories of memd's files",
       [](World w) {
         for (const char* name : {".pending", ".gitignore", "index.json", "graph.json", "config.json"})
           w.directory(kMemories + std::string(name));
       }},
      {"name: a hundred levels",
       [](World w) {
         std::string path = ".thunderus/memory/facts/";
         for (int i = 0; i < 100; ++i)
           path += "d/";
         w.file(path + "x.md", document("fact.deep", "deep"));
       }},
      {"text: nested a thousand times",
       [](World w) {
         w.file(".claude/memory/learning-x.md",
                "---\ntype: " + std::string(20'000, '[') + std::string(20'000, ']') + "\n---\n# x\n");
         w.file(".claude/memory/config.json", std::string(20'000, '[') + std::string(20'000, ']'));
         w.file(".claude/memory/graph.json", std::string(20'000, '[') + std::string(20'000, ']'));
       }},
  };
  return kAll;
}

void make_git_hostile(const HostileWorld& world) {
  const auto run = [&](const std::string& which) {
    const fs::path script = world.path() / ("run-" + which);
    write_file(script, "#!/bin/sh\ntouch '" + (world.path() / ("ran-" + which)).string() + "'\ncat\n");
    fs::permissions(script, fs::perms::owner_all);
    return script.string();
  };
  const std::string config =
      "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = " + run("fsmonitor") +
      "\n\tpager = " + run("pager") + "\n\teditor = " + run("editor") + "\n\tsshCommand = " + run("ssh") +
      "\n\taskPass = " + run("askpass") + "\n\talternateRefsCommand = " + run("alternates") +
      "\n\thooksPath = " + (world.path() / "hooks").string() +
      "\n\tattributesFile = " + (world.path() / "attributes").string() + "\n[pager]\n\tlog = " + run("pager-log") +
      "\n\tgrep = " + run("pager-grep") + "\n[diff]\n\texternal = " + run("diff-external") +
      "\n[diff \"evil\"]\n\ttextconv = " + run("textconv") + "\n\tcommand = " + run("diff-command") +
      "\n[filter \"evil\"]\n\tclean = " + run("clean") + "\n\tsmudge = " + run("smudge") +
      "\n\tprocess = " + run("process") + "\n[gpg]\n\tprogram = " + run("gpg") +
      "\n[gpg \"ssh\"]\n\tprogram = " + run("gpg-ssh") + "\n[log]\n\tshowSignature = true\n[alias]\n\tlog = !" +
      run("alias-log") + "\n\trev-parse = !" + run("alias-rev-parse") + "\n\tls-tree = !" + run("alias-ls-tree") +
      "\n[credential]\n\thelper = !" + run("credential") + "\n[interactive]\n\tdiffFilter = " + run("diff-filter") +
      "\n[uploadpack]\n\tpackObjectsHook = " + run("pack-objects") +
      "\n[remote \"origin\"]\n\turl = ext::" + run("ext") + "\n\tpromisor = true\n\tuploadpack = " + run("uploadpack") +
      "\n[extensions]\n\tpartialClone = origin\n[safe]\n\tdirectory = *\n[include]\n\tpath = " +
      (world.path() / "included").string() + "\n";
  write_file(world.path() / "included", "[diff]\n\texternal = " + run("included") + "\n");
  write_file(world.path() / "attributes", "* diff=evil filter=evil\n");
  write_file(world.repo() / ".gitattributes", "* diff=evil filter=evil\n");
  write_file(world.repo() / "src/a.cpp", "int a; int hostile_word_b;\n");
  const std::string git =
      "git -c init.defaultBranch=main -c user.name=a -c user.email=a@b.c -C '" + world.repo().string() + "' ";
  if (std::system((git + "commit -q -a -m second").c_str()) != 0) throw std::runtime_error("git failed");
  write_file(world.repo() / ".git/config", config);
  for (const char* hook : {"post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman",
                           "post-checkout", "pre-commit"})
    for (const fs::path& at : {world.path() / "hooks", world.repo() / ".git/hooks"}) {
      fs::create_directories(at);
      fs::copy_file(run(std::string("hook-") + hook), at / hook, fs::copy_options::overwrite_existing);
    }
}

}  // namespace memd::test
