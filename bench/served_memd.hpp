#pragma once

#include <sys/types.h>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
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

// An MCP client on a daemon's socket. The constructor sends `initialize`. An error answer throws.
class RpcClient {
 public:
  RpcClient(const std::string& socket, std::string_view client_name);

  // Returns the `result` of the answer.
  boost::json::value call(std::string_view method, boost::json::object params);
  // Returns the result of a tool call, also one with `isError`.
  boost::json::value call_tool(std::string_view tool, boost::json::object arguments);

 private:
  Connection connection_;
  int next_id_ = 1;
};

// A scratch home with agents' histories, and a daemon that has read and enriched them.
class ServedHome {
 public:
  // `write` fills the empty home.
  ServedHome(const std::filesystem::path& memd, const std::function<void(const std::filesystem::path& home)>& write);

  // Returns when everything now in the home is read, committed and enriched.
  void wait_until_indexed();
  // Makes all vectors of the second look.
  void look_again();

  std::string socket() const { return setup_.socket(); }
  std::filesystem::path home() const { return setup_.home; }
  std::filesystem::path database() const { return setup_.data / "memd.db"; }

 private:
  void wait_until_read();
  void wait_until_enriched();

  Setup setup_;
};

}  // namespace memd::bench
