#include "bench/served_memd.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace memd::bench {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("write");
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string read_line(int fd, std::string& received) {
  char chunk[65536];
  std::size_t searched = 0;
  while (true) {
    const auto nl = received.find('\n', searched);
    if (nl != std::string::npos) {
      std::string line = received.substr(0, nl);
      received.erase(0, nl + 1);
      return line;
    }
    searched = received.size();
    const ssize_t n = ::read(fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("read");
    received.append(chunk, static_cast<std::size_t>(n));
  }
}

int connect_to(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int err = errno;
    ::close(fd);
    errno = err;
    return -1;
  }
  return fd;
}

}  // namespace

Setup::Setup(fs::path memd_binary) : memd(fs::absolute(memd_binary)) {
  std::string pattern = (fs::temp_directory_path() / "memd-bench-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) fail("mkdtemp");
  scratch = pattern;
  home = scratch / "home";
  data = scratch / "data";
  fs::create_directories(home / ".claude/projects");
  std::signal(SIGPIPE, SIG_IGN);
}

Setup::~Setup() {
  try {
    stop_daemon(*this);
  } catch (const std::exception&) {
    // The directory is removed all the same.
  }
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
}

std::vector<std::string> Setup::arguments(std::vector<std::string> more) const {
  std::vector<std::string> all{"--data-dir", data.string(), "--home", home.string()};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

fs::path Setup::transcript() const {
  return home / ".claude/projects/-bench/11111111-1111-4111-8111-111111111111.jsonl";
}

Child::Child(const fs::path& program, const std::vector<std::string>& arguments) {
  int to[2];
  int from[2];
  if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) fail("pipe");
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const auto& a : arguments)
    argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) {
    ::dup2(to[0], 0);
    ::dup2(from[1], 1);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  ::close(to[0]);
  ::close(from[1]);
  in_ = to[1];
  out_ = from[0];
}

Child::~Child() { close(); }

std::string Child::ask(const std::string& line) {
  write_all(in_, line + "\n");
  return read_line(out_, received_);
}

void Child::close() {
  if (pid_ < 0) return;
  ::close(in_);
  ::waitpid(pid_, nullptr, 0);
  ::close(out_);
  pid_ = -1;
}

Connection::Connection(const std::string& socket) : fd_(connect_to(socket)) {
  if (fd_ < 0) fail("connect " + socket);
}

Connection::~Connection() { ::close(fd_); }

std::string Connection::ask(const std::string& line) {
  write_all(fd_, line + "\n");
  return read_line(fd_, received_);
}

std::vector<double> hammer(const std::string& socket, int connections, int window, int calls,
                           const std::function<std::string(int)>& request) {
  struct Client {
    int fd = -1;
    int sent = 0;
    int answered = 0;
    std::string received;
    std::vector<Time> started;
  };
  constexpr const char* kHello =
      R"({"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";
  std::vector<Client> clients(static_cast<std::size_t>(connections));
  std::vector<pollfd> polls;
  std::vector<double> latencies;
  for (auto& c : clients) {
    c.fd = connect_to(socket);
    if (c.fd < 0) fail("connect");
    write_all(c.fd, std::string(kHello) + "\n");
    read_line(c.fd, c.received);
    c.started.resize(static_cast<std::size_t>(calls));
    polls.push_back({c.fd, POLLIN, 0});
  }
  const auto send_next = [&](Client& c) {
    c.started[static_cast<std::size_t>(c.sent)] = std::chrono::steady_clock::now();
    write_all(c.fd, request(c.sent) + "\n");
    ++c.sent;
  };
  for (auto& c : clients)
    for (int i = 0; i < window && c.sent < calls; ++i)
      send_next(c);
  std::size_t open = clients.size();
  char chunk[65536];
  while (open > 0) {
    if (::poll(polls.data(), polls.size(), 10'000) <= 0) fail("poll");
    for (std::size_t i = 0; i < clients.size(); ++i) {
      Client& c = clients[i];
      if ((polls[i].revents & POLLIN) == 0) continue;
      const ssize_t n = ::read(c.fd, chunk, sizeof chunk);
      if (n <= 0) fail("read");
      c.received.append(chunk, static_cast<std::size_t>(n));
      std::size_t at = 0;
      for (auto nl = c.received.find('\n'); nl != std::string::npos; nl = c.received.find('\n', at)) {
        const auto id_at = c.received.find("\"id\":", at);
        const int id = std::atoi(c.received.c_str() + id_at + 5);
        latencies.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() -
                                                                      c.started[static_cast<std::size_t>(id)])
                                .count());
        at = nl + 1;
        ++c.answered;
        if (c.sent < calls) send_next(c);
      }
      c.received.erase(0, at);
      if (c.answered == calls) {
        ::close(c.fd);
        polls[i].fd = -1;
        --open;
        c.answered = -1;
      }
    }
  }
  return latencies;
}

void append_prompt(const fs::path& transcript, int serial, const std::string& text) {
  fs::create_directories(transcript.parent_path());
  char uuid[40];
  std::snprintf(uuid, sizeof uuid, "00000000-0000-4000-8000-%012d", serial);
  const std::string line =
      R"({"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":")" + text +
      R"("},"uuid":")" + uuid +
      R"(","timestamp":"2026-02-09T06:01:53.253Z","userType":"external","cwd":"/bench","sessionId":"11111111-1111-4111-8111-111111111111","version":"2.1.7","gitBranch":"main"})" +
      "\n";
  const int fd = ::open(transcript.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) fail("open transcript");
  write_all(fd, line);
  ::close(fd);
}

void copy_history(const fs::path& from_home, const fs::path& to_home) {
  for (const char* part : {".claude/projects", ".codex", ".config", ".gemini/tmp", ".local/share/opencode"}) {
    if (!fs::exists(from_home / part)) continue;
    fs::create_directories((to_home / part).parent_path());
    fs::copy(from_home / part, to_home / part, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  for (const auto& entry : fs::recursive_directory_iterator(to_home))  // an agent can write to its own files
    fs::permissions(entry.path(), fs::perms::owner_write, fs::perm_options::add);
}

void stop_daemon(const Setup& setup) {
  std::ifstream in(setup.data / "memd.pid");
  pid_t pid = 0;
  if (!(in >> pid) || pid <= 0 || ::kill(pid, SIGTERM) != 0) return;
  for (int i = 0; i < 2000 && ::kill(pid, 0) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace memd::bench
