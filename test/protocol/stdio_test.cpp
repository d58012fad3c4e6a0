#include "test/protocol/server_fixture.hpp"

#include <fcntl.h>

#include <fstream>

namespace memd::test {
namespace {

using Stdio = ServerTest;

TEST_F(Stdio, OverPipesRestoresTheFlags) {
  int in[2], out[2];
  ASSERT_EQ(::pipe(in), 0);
  ASSERT_EQ(::pipe(out), 0);
  start();
  server->serve_stdio(in[0], out[1]);
  run();
  LineClient client(out[0], in[1]);
  client.send_line(kInitialize);
  EXPECT_EQ(id_of(client.read_line()), 0);
  client.send_line(call(1, "echo", R"({"text":"a"})"));
  EXPECT_EQ(id_of(client.read_line()), 1);
  client.close_write();
  thread.join();  // the end of input ends the loop
  EXPECT_EQ(::fcntl(in[0], F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(::fcntl(out[1], F_GETFL) & O_NONBLOCK, 0);
  ::close(in[0]);
  ::close(out[1]);
}

TEST_F(Stdio, OverRegularFilesAndDevNull) {
  {
    std::ofstream requests(directory / "in");
    requests << kInitialize << "\n" << call(1, "echo", R"({"text":"a"})") << "\n";
    for (int i = 2; i <= 1000; ++i)
      requests << call(i, "quick", R"({"text":"a"})") << "\n";
  }
  const int in = ::open((directory / "in").c_str(), O_RDONLY);
  const int out = ::open((directory / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  start();
  server->serve_stdio(in, out);
  run();
  thread.join();
  ::close(in);
  ::close(out);
  std::ifstream answers(directory / "out");
  int count = 0;
  for (std::string line; std::getline(answers, line); ++count)
    EXPECT_TRUE(boost::json::parse(line).is_object());
  EXPECT_EQ(count, 1001);
}

TEST_F(Stdio, DevNullAsInputEndsAtOnce) {
  const int null = ::open("/dev/null", O_RDWR);
  start();
  server->serve_stdio(null, null);
  run();
  thread.join();
  ::close(null);
}

}  // namespace
}  // namespace memd::test
