#include "store/files/path_name.hpp"

#include <gtest/gtest.h>

namespace memd::files {
namespace {

TEST(PathName, NeighboursWithTheSameStartAreNotInside) {
  EXPECT_TRUE(is_inside("/a/b", "/a/b"));
  EXPECT_TRUE(is_inside("/a/b/c", "/a/b"));
  EXPECT_FALSE(is_inside("/a/bc", "/a/b"));
  EXPECT_FALSE(is_inside("/a", "/a/b"));
  EXPECT_TRUE(is_inside("/a", "/"));
  EXPECT_FALSE(is_inside("/a", "")) << "a place that could not be found";
}

}  // namespace
}  // namespace memd::files
