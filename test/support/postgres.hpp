#pragma once

#include "daemon/child_process.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace memd::test {

// A PostgreSQL of the distribution with a database of its own: `team`, of the role `ada`. Listens on a socket in a
// temporary directory and trusts who comes.
class Postgres {
 public:
  // The directory of its programs; empty: none that this user can run.
  static std::filesystem::path programs() {
    std::filesystem::path out;
    std::error_code none;
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", none))
      if (std::filesystem::exists(version.path() / "bin/initdb")) out = version.path() / "bin";
    return ::getuid() == 0 && ::getpwnam("postgres") == nullptr ? std::filesystem::path() : out;
  }

  Postgres() {
    static const Postgres prepared(Prepared{});
    make_directory();
    EXPECT_EQ(run_as_server({"cp", "-a", prepared.data(), data()}), 0);
    start();
  }
  // A standby that gets everything from `primary` by streaming.
  explicit Postgres(const Postgres& primary) {
    make_directory();
    follow(primary);
  }
  ~Postgres() { (void)run({"pg_ctl", "-D", data(), "-m", "immediate", "stop"}); }

  // Becomes a standby, whatever it was before. It is not running.
  void follow(const Postgres& primary) {
    std::filesystem::remove_all(data());
    EXPECT_EQ(
        run({"pg_basebackup", "-h", primary.directory(), "-U", "postgres", "-D", data(), "-R", "-c", "fast", "-N"}), 0);
    start();
  }
  // Commits of this primary wait for its standby from now on.
  void wait_for_standby() {
    sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
    sql("postgres", "SELECT pg_reload_conf()");
    const std::string is_there = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (sql("postgres", is_there) != "1")
      ASSERT_LT(std::chrono::steady_clock::now(), until) << bytes_of(log());
  }
  // This standby gets nothing more from its primary.
  void stop_following() {
    sql("postgres", "ALTER SYSTEM SET primary_conninfo = ''");
    sql("postgres", "SELECT pg_reload_conf()");
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (sql("postgres", "SELECT count(*) FROM pg_stat_wal_receiver") != "0")
      ASSERT_LT(std::chrono::steady_clock::now(), until) << bytes_of(log());
  }
  void back_up() {
    EXPECT_EQ(run({"pg_dump", "-h", directory(), "-U", "postgres", "-Fc", "-f", directory() + "/dump", "team"}), 0);
  }
  // The database is what it was when it was backed up.
  void restore() {
    EXPECT_EQ(sql("postgres", "DROP DATABASE team WITH (FORCE)", "postgres"), "");
    EXPECT_EQ(
        run({"pg_restore", "-h", directory(), "-U", "postgres", "-d", "postgres", "--create", directory() + "/dump"}),
        0);
  }
  void promote() { EXPECT_EQ(run({"pg_ctl", "promote", "-D", data(), "-w"}), 0); }

  void start() {
    const std::string options = "-c listen_addresses='' -c fsync=off -k " + directory();
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const std::vector<std::string> command{"pg_ctl", "-D", data(), "-w", "-l", log(), "-o", options, "start"};
    while (run(command) != 0)
      ASSERT_LT(std::chrono::steady_clock::now(), until) << bytes_of(log());
  }
  // With its children, which would hold its memory for a moment. Its lock goes, because a process that nobody has
  // waited for yet counts as running.
  void kill() {
    const std::string server = std::to_string(std::stoi(bytes_of(data() + "/postmaster.pid")));
    std::istringstream children(bytes_of("/proc/" + server + "/task/" + server + "/children"));
    ASSERT_EQ(::kill(std::stoi(server), SIGKILL), 0);
    for (pid_t child = 0; children >> child;)
      ::kill(child, SIGKILL);
    std::filesystem::remove(data() + "/postmaster.pid");
  }

  // The directory of its socket.
  std::string directory() const { return dir_ / "pg"; }
  static std::string url(const std::string& role, const std::string& hosts) {
    return "postgres:///team?user=" + role + "&host=" + hosts;
  }
  std::string url(const std::string& role) const { return url(role, directory()); }
  // Runs a program as the user that a server can run as. Returns its exit status.
  static int run_as_server(const std::vector<std::string>& arguments) {
    ChildCommand command;
    if (::getuid() == 0) command.arguments = {"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.patience = std::chrono::minutes(2);
    command.keep_errors = false;
    const auto out = run_child(command);
    return out ? out->exit_code : -1;
  }
  // Gives a file to the user that a server can run as.
  static void give(const std::filesystem::path& file) {
    if (const auto* user = ::getuid() == 0 ? ::getpwnam("postgres") : nullptr)
      EXPECT_EQ(::chown(file.c_str(), user->pw_uid, user->pw_gid), 0);
  }
  // Returns the bytes of its files: tables, indexes, write-ahead log, its own log.
  std::string files() const {
    std::string out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_ / "pg"))
      if (entry.is_regular_file()) out += bytes_of(entry.path());
    return out;
  }
  // Returns what psql prints, or "refused".
  std::string sql(const std::string& role, const std::string& statement, const std::string& database = "team") {
    ChildCommand psql;
    psql.arguments = {"psql", "-XqAt",  "-v", "ON_ERROR_STOP=1", "-h", directory(), "-U",
                      role,   database, "-c", statement};
    psql.patience = std::chrono::minutes(1);
    psql.most_output = std::size_t{256} << 20;
    const auto out = run_child(psql);
    return out && out->exit_code == 0 ? out->text.substr(0, out->text.find_last_not_of('\n') + 1) : "refused";
  }

 private:
  // One that has been stopped, with the database: each of a process is a copy, because initdb takes longer than most
  // tests.
  struct Prepared {};
  explicit Postgres(Prepared) {
    make_directory();
    EXPECT_EQ(run({"initdb", "-D", data(), "-A", "trust", "-U", "postgres", "--no-sync", "--wal-segsize=1"}), 0);
    start();
    sql("postgres", "CREATE ROLE ada LOGIN", "postgres");
    sql("postgres", "CREATE DATABASE team OWNER ada", "postgres");
    EXPECT_EQ(run({"pg_ctl", "-D", data(), "-m", "fast", "-w", "stop"}), 0);
  }

  std::string data() const { return dir_ / "pg/data"; }
  std::string log() const { return dir_ / "pg/log"; }
  void make_directory() {
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
    std::filesystem::create_directory(dir_ / "pg");
    give(dir_ / "pg");
  }
  static int run(std::vector<std::string> arguments) {
    arguments.front() = programs() / arguments.front();
    return run_as_server(arguments);
  }

  TempDir dir_;
};

}  // namespace memd::test
