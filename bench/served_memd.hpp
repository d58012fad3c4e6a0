#pragma once

#include <sys/types.h>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

// A memd daemon of its own, and clients of it, for benchmarks. Failures throw std::runtime_error.
namespace memd::bench {

using Time = std::chrono::steady_clock::time_point;

// A scratch home and data directory, removed at the end.
struct Setup {
  explicit Setup(std::filesystem::path memd_binary);
  ~Setup();
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;

  std::vector<std::string> arguments(std::vector<std::string> more) const;  // with --data-dir and --home
  std::string socket() const { return (data / "memd.sock").string(); }
  std::filesystem::path transcript() const;

  std::filesystem::path memd;
  std::filesystem::path scratch;
  std::filesystem::path home;
  std::filesystem::path data;
};

// A process with pipes on stdin and stdout that speaks lines.
class Child {
 public:
  Child(const std::filesystem::path& program, const std::vector<std::string>& arguments);
  ~Child();
  std::string ask(const std::string& line);  // the next line it says
  void close();                              // ends its stdin and waits for it

 private:
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string received_;
};

// A client on the daemon's socket, one request at a time.
class Connection {
 public:
  explicit Connection(const std::string& socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  std::string ask(const std::string& line);

 private:
  int fd_ = -1;
  std::string received_;
};

// `calls` requests on each of `connections`, `window` of them in flight at a time; the latency of each, in ms.
std::vector<double> hammer(const std::string& socket, int connections, int window, int calls,
                           const std::function<std::string(int id)>& request);

void append_prompt(const std::filesystem::path& transcript, int serial, const std::string& text);
void copy_history(const std::filesystem::path& from_home, const std::filesystem::path& to_home);
void stop_daemon(const Setup& setup);  // SIGTERM, and waits for its socket to go

}  // namespace memd::bench
