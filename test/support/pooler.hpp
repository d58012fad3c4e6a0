#pragma once

#include "test/support/postgres.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace memd::test {

// PgBouncer before a server, in transaction mode: each transaction of a client may get another connection, of two.
class Pooler {
 public:
  static bool is_installed() { return std::filesystem::exists("/usr/sbin/pgbouncer"); }

  Pooler(const Postgres& server, const std::vector<std::string>& roles) {
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
    const std::filesystem::path at = directory();
    std::filesystem::create_directory(at);
    Postgres::give(at);
    std::string users;
    for (const std::string& role : roles)
      users += "\"" + role + "\" \"\"\n";
    write_file(at / "users", users);
    write_file(at / "ini", "[databases]\nteam = host=" + server.directory() +
                               " dbname=team\n[pgbouncer]\nunix_socket_dir = " + at.string() +
                               "\nlisten_port = 5432\nauth_type = trust\nauth_file = " + (at / "users").string() +
                               "\npool_mode = transaction\ndefault_pool_size = 2\npidfile = " + (at / "pid").string() +
                               "\nlogfile = " + (at / "log").string() + "\n");
    EXPECT_EQ(Postgres::run_as_server({"/usr/sbin/pgbouncer", "-q", "-d", (at / "ini").string()}), 0);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!std::filesystem::exists(at / ".s.PGSQL.5432") && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    EXPECT_TRUE(std::filesystem::exists(at / ".s.PGSQL.5432")) << bytes_of(at / "log");
  }
  ~Pooler() {
    const std::string pid = bytes_of(std::filesystem::path(directory()) / "pid");
    if (!pid.empty()) ::kill(std::stoi(pid), SIGTERM);
  }
  Pooler(const Pooler&) = delete;
  Pooler& operator=(const Pooler&) = delete;

  std::string directory() const { return dir_ / "pool"; }

 private:
  TempDir dir_;
};

}  // namespace memd::test
