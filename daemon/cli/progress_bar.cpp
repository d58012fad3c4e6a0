#include "daemon/cli/progress_bar.hpp"

#include "schemas/base/harmless.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <utility>

namespace memd::cli {
namespace {

constexpr int kBarCells = 30;

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

ProgressBar::ProgressBar(std::string label, Unit unit)
    : label_(std::move(label)), unit_(unit), terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(double done, double total, std::string_view what) {
  if (!terminal_) return;
  const double share = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0;
  const int full = static_cast<int>(share * kBarCells);
  std::string bar;
  for (int i = 0; i < kBarCells; ++i)
    bar += i < full ? "█" : "░";
  std::string head = fmt::format("{} {} {:3.0f}%", label_, bar, share * 100);
  if (total >= unit_.size)
    head += fmt::format("  {:.0f} of {:.0f} {}", done / unit_.size, total / unit_.size, unit_.name);
  const std::size_t used = label_.size() + kBarCells + 30;
  const std::size_t width = terminal_width();
  if (width > used + 8 && what.size() > width - used) what.remove_prefix(what.size() - (width - used));
  fmt::print(stderr, "\r\033[K{}  {}", head, width > used + 8 ? harmless_line(what) : std::string());
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace memd::cli
