#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

// A memd started by a benchmark, and its clients. Each object belongs to one thread and owns its process or socket.
// Failures throw std::runtime_error.
namespace memd::bench {

using Time = std::chrono::steady_clock::time_point;

// A scratch home and data directory. The destructor removes them.
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

// A child process that answers each line on its stdin with a line on its stdout. The destructor ends it.
class Child {
 public:
  Child(const std::filesystem::path& program, const std::vector<std::string>& arguments);
  ~Child();
  std::string ask(const std::string& line);  // returns the next line of its stdout
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

// Sends `calls` requests on each of `connections`, `window` of them in flight. Returns all latencies in milliseconds.
std::vector<double> hammer(const std::string& socket, int connections, int window, int calls,
                           const std::function<std::string(int id)>& request);

void append_prompt(const std::filesystem::path& transcript, int serial, const std::string& text);
void copy_history(const std::filesystem::path& from_home, const std::filesystem::path& to_home);
void stop_daemon(const Setup& setup);  // sends SIGTERM and waits for the process to end

}  // namespace memd::bench
