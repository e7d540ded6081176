// The showcase, route by route, in process. What is expected of the data holds for every edition of iso-codes.
#include "app.hpp"
#include "fold.hpp"

#include "server/client.hpp"

#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>
#include <thread>

namespace {

using tern::testing::Client;
using tern::testing::TestResponse;
using testing::ElementsAre;
using ::testing::HasSubstr;

struct Item {
  std::optional<std::string> alpha_2;
  std::optional<std::string> alpha_3;
  std::optional<std::string> alpha_4;
  std::optional<std::string> code;
  std::optional<std::string> country;
  std::optional<std::string> parent;
  std::string name;
  std::optional<std::string> type;
};

struct Note {
  std::int64_t id;
  std::string title;
  std::string text;
  std::vector<std::string> tags;
  bool done;
  std::string created;
  std::string changed;
};

template <class T>
struct PageOf {
  std::size_t total;
  std::size_t limit;
  std::size_t offset;
  std::optional<std::string> previous;
  std::optional<std::string> next;
  std::vector<T> items;
};

struct ProblemError {
  std::string detail;
  std::string pointer;
};
struct ProblemAnswer {
  int status;
  std::optional<std::string> detail;
  std::vector<ProblemError> errors = {};
};
}  // namespace

template <>
struct tern::JsonDefaults<ProblemAnswer> {
  static constexpr std::string_view may_be_missing[] = {"errors"};
};

namespace {

class Showcase : public ::testing::Test {
protected:
  PageOf<Item> page(std::string_view target) { return answer(target, 200).json<PageOf<Item>>(); }
  Item item(std::string_view target) { return answer(target, 200).json<Item>(); }

  TestResponse answer(std::string_view target, int status) {
    TestResponse answer = client.get(target);
    EXPECT_EQ(answer.status, status) << target << ": " << answer.body;
    return answer;
  }

  // What a refusal names.
  std::vector<std::string> named(const TestResponse& answer, int status = 422) {
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_EQ(answer.field("content-type"), "application/problem+json");
    std::vector<std::string> names;
    for (const ProblemError& error : answer.json<ProblemAnswer>().errors) names.push_back(error.pointer);
    return names;
  }

  tern::App app = showcase::make_app(TERN_ISO_CODES_DIR, examples::open_database(":memory:"));
  Client client{app};

  // No response of these tests is outside the contract.
  Showcase() {
    client.check_contract();
    client.start();
  }
};

// --- Lists ----------------------------------------------------------------------------------------------------------

TEST_F(Showcase, gives_every_list_by_page) {
  const std::map<std::string, std::size_t> lists = {
      {"/countries", 240}, {"/subdivisions", 4000}, {"/languages", 7000}, {"/currencies", 150}, {"/scripts", 150}};
  for (const auto& [path, at_least] : lists) {
    const auto first = page(path);
    EXPECT_GT(first.total, at_least) << path;
    EXPECT_EQ(first.limit, 20U);
    EXPECT_EQ(first.offset, 0U);
    EXPECT_EQ(first.items.size(), 20U);
    EXPECT_EQ(first.previous, std::nullopt);
    EXPECT_EQ(first.next, path + "?limit=20&offset=20");
    const auto last = page(path + "?limit=500&offset=" + std::to_string(first.total - 3));
    EXPECT_EQ(last.items.size(), 3U) << path;
    EXPECT_EQ(last.next, std::nullopt);
    const auto behind = page(path + "?offset=1000000");
    EXPECT_EQ(behind.total, first.total);
    EXPECT_TRUE(behind.items.empty());
  }
}

TEST_F(Showcase, goes_through_all_pages_in_a_stable_order_by_the_links) {
  std::vector<std::string> codes;
  std::optional<std::string> next = "/countries?limit=70";
  std::size_t total = 0;
  while (next) {
    const auto one = page(*next);
    total = one.total;
    for (const Item& item : one.items) codes.push_back(item.alpha_2.value());
    next = one.next;
  }
  EXPECT_EQ(codes.size(), total);
  EXPECT_TRUE(std::ranges::is_sorted(codes));
  EXPECT_EQ(std::set<std::string>(codes.begin(), codes.end()).size(), total);
}

TEST_F(Showcase, keeps_what_was_searched_for_in_its_links) {
  const auto one = page("/countries?offset=3&name=isl%61nd&limit=2");
  EXPECT_EQ(one.next, "/countries?limit=2&offset=5&name=isl%61nd");
  EXPECT_EQ(one.previous, "/countries?limit=2&offset=1&name=isl%61nd");
  EXPECT_EQ(page("/countries?offset=1&limit=2").previous, "/countries?limit=2&offset=0");
}

TEST_F(Showcase, refuses_a_window_that_is_none) {
  for (const std::string path : {"/countries", "/countries/FR/subdivisions", "/subdivisions", "/languages",
                                 "/currencies", "/scripts", "/notes"}) {
    EXPECT_THAT(named(client.get(path + "?limit=0")), ElementsAre("limit"));
    EXPECT_THAT(named(client.get(path + "?limit=501")), ElementsAre("limit"));
    EXPECT_THAT(named(client.get(path + "?limit=-1&offset=-1")), ElementsAre("limit", "offset"));
    EXPECT_THAT(named(client.get(path + "?limit=ten&offset=1.5")), ElementsAre("limit", "offset"));
    EXPECT_THAT(named(client.get(path + "?limit=1&limit=2")), ElementsAre("limit"));
    EXPECT_THAT(named(client.get(path + "?limit=99999999999999999999")), ElementsAre("limit"));
    EXPECT_EQ(client.get(path + "?limit=500").status, 200);
    EXPECT_EQ(client.get(path + "?limit=1&offset=9223372036854775807").status, 200);
  }
}

// --- Search and filters ---------------------------------------------------------------------------------------------

TEST_F(Showcase, searches_names_without_regard_to_case_and_accents) {
  for (const std::string name : {"c%C3%B4te", "COTE", "C%C3%94TE"}) {
    const auto found = page("/countries?name=" + name);
    ASSERT_EQ(found.total, 1U) << name;
    EXPECT_EQ(found.items[0].alpha_2, "CI");
  }
  EXPECT_EQ(page("/countries?name=").total, page("/countries").total);
  EXPECT_EQ(page("/countries?name=no+such+country").total, 0U);
}

TEST_F(Showcase, searches_official_names_too) {
  EXPECT_EQ(page("/countries?name=french+republic").items.at(0).alpha_2, "FR");
}

TEST_F(Showcase, searches_codes_only_where_they_are_asked_for) {
  EXPECT_EQ(page("/currencies?name=978").total, 0U);
  EXPECT_EQ(page("/currencies?q=978").items.at(0).name, "Euro");
  EXPECT_EQ(page("/currencies?name=euro&q=978").total, 1U);
}

TEST_F(Showcase, filters_subdivisions_by_country_and_type) {
  const auto provinces = page("/subdivisions?country=ca&type=PROVINCE");
  EXPECT_EQ(provinces.total, 10U);
  for (const Item& item : provinces.items) {
    EXPECT_EQ(item.country, "CA");
    EXPECT_EQ(item.type, "Province");
  }
  EXPECT_EQ(page("/subdivisions?country=CA").total, 13U);
  EXPECT_EQ(page("/subdivisions?country=CAN&name=quebec").items.at(0).code, "CA-QC");
  EXPECT_EQ(page("/subdivisions?country=").total, page("/subdivisions").total);
  EXPECT_THAT(named(client.get("/subdivisions?country=XX")), ElementsAre("country"));
}

TEST_F(Showcase, gives_the_subdivisions_of_a_country) {
  EXPECT_EQ(page("/countries/CA/subdivisions").total, 13U);
  EXPECT_EQ(page("/countries/CA/subdivisions?q=ca-qc").total, 1U);
  answer("/countries/XX/subdivisions", 404);
}

TEST_F(Showcase, filters_languages) {
  const auto all = page("/languages?q=frisian").total;
  const auto living = page("/languages?q=frisian&type=living");
  EXPECT_GT(all, living.total);
  for (const Item& item : living.items) EXPECT_EQ(item.type, "living");
  EXPECT_EQ(page("/languages?scope=special").total, 4U);
  EXPECT_EQ(page("/languages?type=constructed&name=esperanto").items.at(0).alpha_3, "epo");
  EXPECT_THAT(named(client.get("/languages?type=Klingon&scope=wide")), ElementsAre("type", "scope"));
}

TEST(Fold, leaves_plain_small_letters) {
  EXPECT_EQ(showcase::fold("Århus ÉÈ Łódź ƏZƏR"), "arhus ee lodz ezer");
  EXPECT_EQ(showcase::fold("Đồng Tháp"), "dong thap");
  EXPECT_EQ(showcase::fold("e\xCC\x81"), "e");
  EXPECT_EQ(showcase::fold("日本"), "日本");
  EXPECT_EQ(showcase::fold("\xFF\xC3"), "\xFF\xC3");
  EXPECT_EQ(showcase::fold(""), "");
}

// --- One of them ----------------------------------------------------------------------------------------------------

TEST_F(Showcase, gives_one_by_any_of_its_codes_in_any_case) {
  for (const std::string_view code : {"FR", "fr", "FRA", "250"}) {
    EXPECT_EQ(item("/countries/" + std::string(code)).name, "France");
  }
  EXPECT_EQ(item("/subdivisions/us-ak").name, "Alaska");
  EXPECT_EQ(item("/languages/is").name, "Icelandic");
  EXPECT_EQ(item("/languages/isl").type, "living");
  EXPECT_EQ(item("/currencies/EUR").name, "Euro");
  EXPECT_EQ(item("/scripts/Latn").name, "Latin");
}

TEST_F(Showcase, completes_the_parents_of_subdivisions) {
  EXPECT_EQ(item("/subdivisions/FR-01").parent, "FR-ARA");
  EXPECT_EQ(item("/subdivisions/FR-ARA").country, "FR");
}

TEST_F(Showcase, answers_404_for_what_there_is_not) {
  for (const std::string_view target : {"/countries/XX", "/subdivisions/XX-1", "/languages/qqqq", "/currencies/XQQ",
                                        "/scripts/Nope", "/notes/1", "/notes/one", "/nothing"}) {
    const TestResponse missing = answer(target, 404);
    EXPECT_EQ(missing.field("content-type"), "application/problem+json") << target;
  }
  EXPECT_THAT(client.get("/countries/XX").body, HasSubstr("there is no country with the code 'XX'"));
}

// --- Notes ----------------------------------------------------------------------------------------------------------

TEST_F(Showcase, makes_reads_replaces_changes_and_deletes_a_note) {
  const TestResponse made = client.post("/notes", R"({"title":"Feed the terns","tags":["birds"]})");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string place(made.field("location"));
  EXPECT_EQ(place, "/notes/1");
  const auto note = made.json<Note>();
  EXPECT_EQ(note.title, "Feed the terns");
  EXPECT_EQ(note.text, "");
  EXPECT_THAT(note.tags, ElementsAre("birds"));
  EXPECT_FALSE(note.done);
  EXPECT_EQ(note.created.size(), std::string_view("2026-01-01T00:00:00Z").size());
  EXPECT_EQ(client.get(place).body, made.body);

  const auto changed = client.patch(place, R"({"done":true})").json<Note>();
  EXPECT_TRUE(changed.done);
  EXPECT_EQ(changed.title, "Feed the terns");
  EXPECT_THAT(changed.tags, ElementsAre("birds"));

  const auto replaced = client.put(place, R"({"title":"Feed the gulls","text":"or not"})").json<Note>();
  EXPECT_EQ(replaced.id, 1);
  EXPECT_EQ(replaced.title, "Feed the gulls");
  EXPECT_EQ(replaced.text, "or not");
  EXPECT_TRUE(replaced.tags.empty());
  EXPECT_FALSE(replaced.done);

  EXPECT_EQ(client.del(place).status, 204);
  EXPECT_EQ(client.get(place).status, 404);
  EXPECT_EQ(client.del(place).status, 404);
  EXPECT_EQ(client.put(place, R"({"title":"x"})").status, 404);
  EXPECT_EQ(client.patch(place, "{}").status, 404);
  EXPECT_EQ(client.post("/notes", R"({"title":"Another"})").field("location"), "/notes/2");
}

TEST_F(Showcase, lists_notes_by_page_and_filter) {
  client.post("/notes", R"({"title":"Écoute","tags":["a","b"]})");
  client.post("/notes", R"({"title":"two","text":"écoute aussi","done":true})");
  client.post("/notes", R"({"title":"three","tags":["b"]})");
  const auto titles = [&](std::string_view target) {
    std::vector<std::string> found;
    for (const Note& note : answer(target, 200).json<PageOf<Note>>().items) found.push_back(note.title);
    return found;
  };
  EXPECT_THAT(titles("/notes"), ElementsAre("Écoute", "two", "three"));
  EXPECT_THAT(titles("/notes?limit=1&offset=1"), ElementsAre("two"));
  EXPECT_THAT(titles("/notes?q=ecoute"), ElementsAre("Écoute", "two"));
  EXPECT_THAT(titles("/notes?tag=b"), ElementsAre("Écoute", "three"));
  EXPECT_THAT(titles("/notes?done=true"), ElementsAre("two"));
  EXPECT_THAT(titles("/notes?done=false&tag=a"), ElementsAre("Écoute"));
  EXPECT_THAT(named(client.get("/notes?done=maybe")), ElementsAre("done"));
}

TEST_F(Showcase, names_every_bad_member_of_a_note) {
  EXPECT_THAT(named(client.post("/notes", "{}")), ElementsAre("/title"));
  EXPECT_THAT(named(client.post("/notes", R"({"title":1,"tags":["a",2],"done":"yes"})")),
              ElementsAre("/title", "/tags/1", "/done"));
  const std::string title(101, 'x');
  const std::string text(4001, 'x');
  const std::string tag(31, 'x');
  const std::string bad =
      R"({"title":")" + title + R"(","text":")" + text + R"(","tags":["ok","","  ",")" + tag + "\"]}";
  const auto all = ElementsAre("/title", "/text", "/tags/1", "/tags/2", "/tags/3");
  EXPECT_THAT(named(client.post("/notes", bad)), all);
  EXPECT_THAT(named(client.put("/notes/1", bad)), all);
  EXPECT_THAT(named(client.patch("/notes/1", bad)), all);
  EXPECT_THAT(named(client.post("/notes", R"({"title":" ","tags":["1","2","3","4","5","6","7","8","9","10","11"]})")),
              ElementsAre("/title", "/tags"));
  EXPECT_THAT(named(client.patch("/notes/1", R"({"title":""})")), ElementsAre("/title"));
  EXPECT_EQ(page("/notes").total, 0U);
}

TEST_F(Showcase, counts_characters_not_bytes) {
  std::string title;
  for (int i = 0; i < 100; ++i) title += "ü";
  EXPECT_EQ(client.post("/notes", R"({"title":")" + title + "\"}").status, 201);
  EXPECT_THAT(named(client.post("/notes", R"({"title":")" + title + "u\"}")), ElementsAre("/title"));
}

TEST_F(Showcase, refuses_what_is_no_note_at_all) {
  EXPECT_EQ(client.post("/notes", "{").status, 400);
  EXPECT_EQ(client.post("/notes", "").status, 400);
  EXPECT_EQ(client.post("/notes", "title=x", "application/x-www-form-urlencoded").status, 415);
  EXPECT_EQ(client.post("/notes", "[]").status, 422);
  const TestResponse refused = client.del("/notes");
  EXPECT_EQ(refused.status, 405);
  EXPECT_THAT(std::string(refused.field("allow")), HasSubstr("POST"));
}

TEST_F(Showcase, takes_a_bounded_number_of_notes) {
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(client.post("/notes", R"({"title":"x"})").status, 201);
  EXPECT_EQ(client.post("/notes", R"({"title":"x"})").status, 507);
  EXPECT_EQ(client.del("/notes/500").status, 204);
  EXPECT_EQ(client.post("/notes", R"({"title":"x"})").status, 201);
}

TEST_F(Showcase, takes_notes_of_a_bounded_size) {
  const std::string large = R"({"title":"x","text":")" + std::string(100'000, 'x') + "\"}";
  EXPECT_EQ(client.post("/notes", large).status, 413);
  EXPECT_EQ(client.put("/notes/1", large).status, 413);
  EXPECT_EQ(client.patch("/notes/1", large).status, 413);
}

TEST_F(Showcase, has_no_notes_with_a_nul) {
  EXPECT_EQ(client.post("/notes", R"({"title":"a\u0000b"})").status, 422);
  EXPECT_EQ(client.post("/notes", R"({"title":"a","tags":["\u0000"]})").status, 422);
  EXPECT_EQ(page("/notes").total, 0U);
}

TEST_F(Showcase, searches_for_signs_of_patterns_as_they_are) {
  client.post("/notes", R"({"title":"100 % terns","tags":["50%"]})");
  client.post("/notes", R"({"title":"100 gulls","text":"snake_case \\"})");
  const auto notes = [&](std::string_view target) { return answer(target, 200).json<PageOf<Note>>().total; };
  EXPECT_EQ(notes("/notes?q=%25"), 1U);
  EXPECT_EQ(notes("/notes?q=e_c"), 1U);
  EXPECT_EQ(notes("/notes?q=0_g"), 0U);
  EXPECT_EQ(notes("/notes?q=%5C"), 1U);
  EXPECT_EQ(notes("/notes?tag=50%25"), 1U);
  EXPECT_EQ(notes("/notes?tag=%25"), 0U);
}

// The clients share the database, as loops do.
TEST(ShowcaseServer, keeps_notes_whole_when_several_clients_write_at_once) {
  tern::App app = showcase::make_app(TERN_ISO_CODES_DIR, examples::open_database(":memory:"));
  tern::Options options;
  options.port = 0;
  options.threads = 2;
  options.logging.level = tern::LogLevel::Warning;
  app.start(options);
  const auto ask = [](tern::testing::HttpClient& client, std::string_view request, std::string_view content) {
    client.send(std::string(request) + " HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: " +
                std::to_string(content.size()) + "\r\n\r\n" + std::string(content));
    return client.answer();
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      tern::testing::HttpClient own(app.port(), 0, false);
      for (int i = 0; i < 50; ++i) {
        const auto made = ask(own, "POST /notes", R"({"title":"x","tags":["a"]})");
        const std::string place = made.field("location");
        EXPECT_EQ(ask(own, "PATCH " + place, R"({"done":true})").status, 200);
        if (i % 2 == 0) {
          EXPECT_EQ(ask(own, "DELETE " + place, "").status, 204);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  tern::testing::HttpClient reader(app.port(), 0, false);
  const auto answer = ask(reader, "GET /notes?limit=500&done=true&tag=a", "");
  const auto left = tern::json::read<PageOf<Note>>(answer.body);
  ASSERT_TRUE(left) << answer.body;
  EXPECT_EQ(left->total, 100U);
  std::set<std::int64_t> ids;
  for (const Note& note : left->items) ids.insert(note.id);
  EXPECT_EQ(ids.size(), 100U);
  app.stop();
  app.wait();
}

// --- The rest -------------------------------------------------------------------------------------------------------

TEST_F(Showcase, has_a_start_page_without_external_resources) {
  const TestResponse start = answer("/", 200);
  EXPECT_EQ(start.field("content-type"), "text/html; charset=utf-8");
  EXPECT_THAT(std::string(start.field("content-security-policy")), HasSubstr("default-src 'none'"));
  EXPECT_TRUE(start.body.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(start.body.ends_with("</html>\n"));
  for (const std::string_view outside : {"src=\"http", "href=\"http", "href=\"//", "@import", "url("}) {
    EXPECT_EQ(start.body.find(outside), std::string::npos) << outside;
  }
}

struct RouteLine {
  std::string method;
  std::string pattern;
  std::string name;
};

TEST_F(Showcase, lists_its_routes_and_the_page_has_each_of_them) {
  const std::string start = client.get("/").body;
  const auto routes = answer("/routes", 200).json<std::vector<RouteLine>>();
  EXPECT_EQ(routes.size(), 19U);
  bool has_itself = false;
  for (const RouteLine& route : routes) {
    has_itself = has_itself || route.pattern == "/routes";
    EXPECT_FALSE(route.name.empty()) << route.pattern;
    const std::string on_page = route.pattern.substr(0, route.pattern.find("{id}"));
    EXPECT_NE(start.find(on_page), std::string::npos) << route.pattern;
  }
  EXPECT_TRUE(has_itself);
}

TEST(ShowcaseStart, says_what_to_do_when_the_data_is_missing) {
  try {
    const tern::App app = showcase::make_app("/no/such/directory", examples::open_database(":memory:"));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/no/such/directory/iso_3166-1.json"));
    EXPECT_THAT(error.what(), HasSubstr("iso-codes"));
    EXPECT_THAT(error.what(), HasSubstr("No such file"));
  }
}

}  // namespace
