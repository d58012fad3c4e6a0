#include "store/insight/continuity/sentences.hpp"
#include "store/insight/continuity/working_state.hpp"
#include "store/read/session_past.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "test/support/scripted_store.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace memd::continuity {
namespace {

using test::EventScript;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

WorkingState state_of(const EventScript& script) {
  const test::TempDir dir;
  const auto file = dir / "memd.db";
  test::take_in(file, script);
  Reader reader(file);
  const auto session = reader.ask(SessionQuery{"latest"});
  EXPECT_TRUE(session);
  const auto past = reader.ask(SessionPastQuery{session->pk, BoundaryChoice{BoundaryChoice::At::end, 0}});
  EXPECT_TRUE(past);
  return recover_state(*past);
}

std::vector<std::string> texts(const std::vector<ExtractedSentence>& sentence) {
  std::vector<std::string> out;
  for (const ExtractedSentence& t : sentence)
    out.push_back(t.text);
  return out;
}

TEST(ContinuityLanguages, WhatBindsIsKept) {
  struct Case {
    const char* goal;
    const char* rule;
    const char* no_rule;
  };
  for (const Case& c :
       {Case{"给导入程序加一个参数，让它只检查文件。", "不要修改解析器的代码。", "为什么必须重启服务器？"},
        Case{"インポート機能に確認だけの引数を追加してください。", "パーサーのコードは変更しないでください。",
             "なぜ必ず失敗するのでしょうか。"},
        Case{"가져오기 기능에 검사만 하는 옵션을 추가해 줘.", "파서 코드는 절대 수정하지 마세요.",
             "왜 반드시 재시작해야 하나요?"},
        Case{"Добавь к импорту ключ, с которым файлы только проверяются.", "Не трогай код разбора файлов.",
             "Почему сервер должен перезапускаться?"}}) {
    EventScript s;
    s.user(c.goal).answer("ok");
    s.user(c.rule).answer("ok");
    s.user(c.no_rule).answer("ok");
    s.user(c.goal).answer("ok");
    const WorkingState state = state_of(s);
    EXPECT_THAT(texts(state.constraints), ElementsAre(HasSubstr(std::string(c.rule).substr(0, 12)))) << c.rule;
    ASSERT_FALSE(state.goal.empty());
    EXPECT_THAT(texts(state.goal), testing::Contains(c.goal));
  }
}

TEST(ContinuityLanguages, ProblemsAreOpenUntilTheyAreMended) {
  struct Case {
    const char* trouble;
    const char* mended;
  };
  for (const Case& c : {Case{"部署脚本在测试环境里仍然失败。", "部署脚本已修复，全部通过。"},
                        Case{"検索のテストがまだ失敗しています。", "検索のテストを修正しました。"},
                        Case{"검색 테스트가 아직 실패합니다.", "검색 테스트를 고쳤습니다."},
                        Case{"Поиск по заголовкам не работает.", "Исправил поиск, всё хорошо."}}) {
    EventScript s;
    s.user("go").call("c1", "Bash", "make check").result("c1", "1 failed", true).answer(c.trouble);
    EXPECT_THAT(texts(state_of(s).problems), ElementsAre(HasSubstr(std::string(c.trouble).substr(0, 12))));
    s.user("next").answer(c.mended);
    EXPECT_THAT(texts(state_of(s).problems), IsEmpty()) << c.mended;
  }
  EventScript asked;
  asked.user("go")
      .call("c1", "Bash", "make check")
      .result("c1", "1 failed", true)
      .answer("部署脚本在测试环境里仍然失败？");
  EXPECT_THAT(texts(state_of(asked).problems), IsEmpty());
}

TEST(ContinuityLanguages, GoAheadsNameNoWork) {
  for (const char* text : {"继续", "好的，谢谢", "続けて", "계속 진행해 줘", "продолжай", "Хорошо, продолжай дальше"})
    EXPECT_TRUE(is_continue_prompt(text)) << text;
  for (const char* text : {"给订单表的字段加一个索引", "検索機能の索引を追加する", "목록 화면의 쿼리를 빠르게 해 줘",
                           "ускорь поиск по таблице заказов"})
    EXPECT_FALSE(is_continue_prompt(text)) << text;
}

}  // namespace
}  // namespace memd::continuity
