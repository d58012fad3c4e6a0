#pragma once

#include "daemon/admin/forget_tool.hpp"
#include "daemon/admin/project_tool.hpp"
#include "daemon/admin/reports.hpp"
#include "daemon/cli/render/screen.hpp"
#include "daemon/cli/render/table.hpp"
#include "daemon/tools/capture.hpp"
#include "daemon/tools/diagnostics.hpp"
#include "daemon/tools/file_history.hpp"
#include "daemon/tools/get_exchange.hpp"
#include "daemon/tools/list_observations.hpp"
#include "daemon/tools/list_sessions.hpp"
#include "daemon/tools/recent_turns.hpp"
#include "daemon/tools/resume_context.hpp"
#include "daemon/tools/semantic_search.hpp"
#include "daemon/tools/session_summary.hpp"
#include "daemon/tools/temporal_query.hpp"
#include "daemon/tools/topic_search.hpp"

#include <set>
#include <string>
#include <vector>

// Views of typed answers for a user. A view of a paged answer is a class that keeps the column widths and what was
// printed already: page() prints one page, end() the lines after the last one. One thread.
namespace memd::cli {

class HitsView {
 public:
  explicit HitsView(Screen& screen) : screen_(screen) {}
  void page(const tools::SemanticSearchAnswer& answer);
  void end(const tools::SemanticSearchAnswer& last);

 private:
  void hit(const tools::SearchResultOut& hit);
  void memory(const tools::SearchResultOut& hit);
  Screen& screen_;
  bool begun_ = false;
  std::string first_id_;  // arguments of the command that shows the best hit, without "memd"
  std::string counted_;   // how many turns have all words
};

class SessionsView {
 public:
  explicit SessionsView(Screen& screen);
  void page(const tools::ListSessionsAnswer& answer);
  void end(const tools::ListSessionsAnswer& last);

 private:
  Screen& screen_;
  Table table_;
  bool begun_ = false;
  std::size_t shown_ = 0;
  std::string first_id_;
};

class ObservationsView {
 public:
  explicit ObservationsView(Screen& screen) : screen_(screen) {}
  void page(const tools::ListObservationsAnswer& answer);
  void end(const tools::ListObservationsAnswer& last);

 private:
  Screen& screen_;
  bool begun_ = false;
  std::size_t shown_ = 0;
  std::string day_;
};

class TimelineView {
 public:
  explicit TimelineView(Screen& screen) : screen_(screen) {}
  void page(const tools::TemporalQueryAnswer& answer);
  void end(const tools::TemporalQueryAnswer& last);

 private:
  Screen& screen_;
  bool begun_ = false;
  std::string day_;
  std::set<std::string> projects_;
};

class TopicView {
 public:
  explicit TopicView(Screen& screen);
  void page(const tools::TopicSearchAnswer& answer);
  void end(const tools::TopicSearchAnswer& last);

 private:
  void list(const tools::TopicSearchAnswer& answer);
  void memories(const tools::TopicSearchAnswer& answer);
  Screen& screen_;
  Table table_;
  bool begun_ = false;
};

class ExchangesView {
 public:
  explicit ExchangesView(Screen& screen) : screen_(screen) {}
  void page(const tools::GetExchangeAnswer& answer);
  void end(const tools::GetExchangeAnswer& last);

 private:
  void head(const tools::ExchangeOut& exchange);
  void part(const char* who, const std::optional<std::string>& text);
  void event(const tools::EventOut& event);
  Screen& screen_;
  std::string open_;  // the exchange with which the last page ended
  std::string part_;  // the last printed part of that exchange: "You", "Agent", …
  bool begun_ = false;
};

class FileView {
 public:
  explicit FileView(Screen& screen) : screen_(screen) {}
  void page(const tools::FileHistoryAnswer& answer);
  void end(const tools::FileHistoryAnswer& last);

 private:
  Screen& screen_;
  bool begun_ = false;
  std::string session_;
  std::string first_id_;
};

void show(Screen& screen, const tools::RecentTurnsAnswer& answer);
void show(Screen& screen, const tools::SessionSummaryAnswer& answer);
void show(Screen& screen, const tools::ResumeAnswer& answer);

void show(Screen& screen, const admin::StatusReport& report);
void show(Screen& screen, const admin::LogReport& report);
// What became of the records of a line.
Line fate(const admin::LedgerLine& line);
void show(Screen& screen, const admin::CoverageReport& report);
void show(Screen& screen, const admin::DoctorReport& report);
void show(Screen& screen, const tools::DiagnosticsReport& report);
void show(Screen& screen, const admin::IngestReport& report);
void show(Screen& screen, const admin::RetentionReport& report);
void show(Screen& screen, const admin::ForgetReport& report);
void show(Screen& screen, const admin::ProjectReport& report);
void show(Screen& screen, const tools::CaptureAnswer& answer);
// Prints a blank line and a row for each agent with history; nothing if there is none.
void print_platforms(Screen& screen, const std::vector<admin::PlatformReport>& platforms);

// The output of `memd` without a command.
struct Today {
  tools::ListSessionsAnswer running;
  tools::ListSessionsAnswer last;
  admin::StatusReport status;
  std::vector<std::string> clients_without_memd;  // names of those here, if none is registered
};
void show(Screen& screen, const Today& today);

}  // namespace memd::cli
