#include "daemon/log.hpp"

#include "schemas/base/harmless.hpp"
#include "store/text/redaction/redactor.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace memd::log {

void start(const std::string& least) {
  auto logger = spdlog::stderr_logger_mt("memd");
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  spdlog::set_default_logger(std::move(logger));
  spdlog::set_level(spdlog::level::from_str(least == "error" ? "err" : least));
  spdlog::flush_on(spdlog::level::info);
}

void write(Level level, std::string_view line) {
  std::string masked(line);
  redact(masked);  // file names may contain a secret
  spdlog::log(level == Level::error ? spdlog::level::err : spdlog::level::info, harmless_line(masked));
}

}  // namespace memd::log
