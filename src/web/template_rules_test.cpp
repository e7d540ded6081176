// The rules of the Mustache specification, each rendered whole and in pieces of one byte, and mistakes in templates.
#include "web/template_testing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tern::web {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Map = std::map<std::string, std::string>;

struct Row {
  int id = 0;
  std::string name;
};

struct Node {
  std::string content;
  std::vector<Node> nodes;
};

enum class Colour { Red, Green };

struct Everything {
  bool yes = true;
  bool no = false;
  int number = 7;
  double fraction = 1.5;
  std::string text = "text";
  std::string empty;
  std::string planet = "<Earth> & \"Moon's\"";
  std::optional<int> none;
  std::optional<std::string> some = "some";
  std::vector<int> list = {1, 2, 3};
  std::vector<int> empty_list;
  std::vector<Row> rows = {{1, "a"}, {2, "b"}};
  Row row = {9, "nine"};
  Colour colour = Colour::Green;
  std::map<std::string, int> map = {{"a", 1}};
  std::vector<bool> bits = {true, false};
  std::list<std::string> words = {"x", "y"};
  std::unique_ptr<Row> owned;
  std::variant<int, std::string> either = "either";
  char letter = 'c';
};

void expect(std::string_view page, std::string_view expected, const Partials& partials = {}) {
  const Everything all;
  EXPECT_EQ(render_text(page, all, partials), expected) << page;
  EXPECT_EQ(render_text(page, all, partials, 1), expected) << "in pieces: " << page;
}

std::string mistake(std::string_view page, const Partials& partials = {}) {
  return mistake_of(page, Everything(), partials);
}

TEST(TemplateRules, variables_are_escaped_unless_raw) {
  expect("{{planet}}", "&lt;Earth&gt; &amp; &quot;Moon&#39;s&quot;");
  expect("<a title=\"{{planet}}\">", "<a title=\"&lt;Earth&gt; &amp; &quot;Moon&#39;s&quot;\">");
  expect("{{{planet}}}|{{&planet}}|{{& planet }}", "<Earth> & \"Moon's\"|<Earth> & \"Moon's\"|<Earth> & \"Moon's\"");
  expect("|{{ number }}|{{fraction}}|{{yes}}|{{colour}}|{{letter}}|{{either}}|", "|7|1.5|true|Green|c|either|");
  expect("|{{none}}|{{{none}}}|{{some}}|", "|||some|");
}

TEST(TemplateRules, every_byte_is_escaped_alone_at_any_place) {
  const std::map<char, std::string> entities = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const auto entity = entities.find(c);
    const std::string escaped = entity == entities.end() ? std::string(1, c) : entity->second;
    for (const std::size_t before : {std::size_t{0}, std::size_t{63}, std::size_t{64}, std::size_t{200}}) {
      const std::string front(before, 'x');
      std::string text = front + c + c;
      EXPECT_EQ(render_text("{{text}}", Map{{"text", text}}), front + escaped + escaped) << byte;
    }
  }
}

// Rows of a long list are looked at as the first one, as long as they have its type.
struct Left {
  std::string name;
  std::string other;
};
struct Right {
  int count = 0;
  std::string name;
};
struct Sides {
  std::string title = "T";
  std::vector<std::variant<Left, Right>> rows;
  std::vector<std::unique_ptr<Left>> holes;
};

TEST(TemplateRules, long_lists_may_have_several_types_and_holes) {
  Sides sides;
  std::string expected;
  for (int i = 0; i < 30; ++i) {
    const std::string name = std::to_string(i);
    i % 3 == 0 ? sides.rows.emplace_back(Left{name, "x"}) : sides.rows.emplace_back(Right{i, name});
    expected += name + "T ";
  }
  EXPECT_EQ(render_text("{{#rows}}{{name}}{{title}} {{/rows}}", sides), expected);
  EXPECT_EQ(render_text("{{#rows}}{{>row}}{{/rows}}", sides, {{"row", "{{name}}{{title}} "}}), expected);
  EXPECT_THAT(mistake_of("{{#rows}}{{name}}{{count}}{{/rows}}", sides),
              AllOf(HasSubstr("there is no 'count' in "), HasSubstr("Left")));
  for (int i = 0; i < 10; ++i) sides.holes.push_back(i % 2 == 0 ? nullptr : std::make_unique<Left>(Left{"l", "o"}));
  EXPECT_EQ(render_text("{{#holes}}{{#.}}{{name}}{{/.}}{{title}}{{/holes}}", sides), "TlTTlTTlTTlTTlT");
}

// A list of at least eight structs whose body is text and their members is rendered in another way than a short one.
struct Cells {
  int id = 0;
  std::string text;
  std::optional<std::string> note;
  std::variant<double, std::string, Row> value;
  bool is_new = false;
  std::uint64_t large = 0;
  float part = 0;
};
struct Table {
  std::string title = "T";
  std::vector<Cells> rows;
};

std::vector<Cells> many_cells() {
  std::vector<Cells> rows;
  for (int i = 0; i < 40; ++i) {
    const auto size =
        static_cast<std::size_t>(i) * (i % 5 == 0 ? 200 : 1);  // some are larger than all that is collected
    rows.push_back({i - 20,
                    std::string(size, 'x') + "<&>",
                    {},
                    {},
                    i % 2 == 0,
                    UINT64_MAX - static_cast<unsigned>(i),
                    static_cast<float>(i) / 4});
    if (i % 3 == 0) rows.back().note = "\"note\"";
    rows.back().value = "'v'";
    if (i % 4 == 0) rows.back().value = i / 8.0;
  }
  rows[8].value = std::numeric_limits<double>::quiet_NaN();
  return rows;
}

TEST(TemplateRules, long_lists_are_rendered_as_their_rows_one_by_one) {
  const Table table{.rows = many_cells()};
  for (const std::string& row :
       {std::string("{{id}}"), std::string("|{{id}}|{{text}}|"),
        std::string("{{id}}{{{text}}}{{&note}}{{note}}{{value}}"),
        "<td class=\"" + std::string(50, 'c') +
            "\">{{text}}</td>{{! a comment }} and more {{is_new}} {{large}} {{part}}\n",
        std::string("no member"), std::string("{{id}}{{title}}"), std::string("{{#is_new}}new{{/is_new}}{{text}}"),
        std::string("{{>cell}}\n"), std::string("  {{>cell}}\n"), std::string("{{#rows}}{{id}}{{/rows}}"),
        std::string()}) {
    const std::string page = "{{#rows}}" + row + "{{/rows}}{{title}}";
    const Partials partials = {{"cell", "\n{{id}}: {{text}}\n"}};
    std::string expected;
    for (const Cells& each : table.rows) {
      const std::string one = render_text(page, Table{.rows = {each}}, partials);
      expected += one.substr(0, one.size() - 1);
    }
    if (row.contains("#rows")) {  // the inner list is that of the table
      expected.clear();
      for (std::size_t i = 0; i < table.rows.size(); ++i) {
        for (const Cells& each : table.rows) expected += std::to_string(each.id);
      }
    }
    EXPECT_EQ(render_text(page, table, partials), expected + "T") << row;
    EXPECT_EQ(render_text(page, table, partials, 1), expected + "T") << row;
    EXPECT_EQ(render_text(page, table, partials, 5000), expected + "T") << row;
  }
}

TEST(TemplateRules, mistakes_in_long_lists_have_their_line) {
  Table table{.rows = many_cells()};
  EXPECT_EQ(mistake_of("{{#rows}}\n{{id}}\n{{value}}{{/rows}}", table), "no mistake");
  table.rows[30].value = Row();
  EXPECT_EQ(mistake_of("{{#rows}}\n{{id}}\n{{value}}{{/rows}}", table),
            "page.mustache:3: 'value' is not text: use a section {{#value}}");
}

TEST(TemplateRules, plain_text_and_lonely_braces_stay_as_they_are) {
  expect("", "");
  expect("Hello {world} } }}\n", "Hello {world} } }}\n");
  expect("  {{number}}\n", "  7\n");
}

TEST(TemplateRules, dotted_names_are_members) {
  expect("{{row.name}} {{#row}}{{name}}{{/row}} {{map.a}}", "nine nine 1");
  expect("|{{owned.name}}|{{map.b}}|", "|||");
  expect("{{#rows}}{{row.id}}{{id}};{{/rows}}", "91;92;");
}

TEST(TemplateRules, sections_show_lists_values_and_conditions) {
  expect("{{#yes}}a{{/yes}}{{#no}}b{{/no}}{{#none}}c{{/none}}{{#empty}}d{{/empty}}{{#empty_list}}e{{/empty_list}}",
         "a");
  expect("{{#list}}{{.}},{{/list}}", "1,2,3,");
  expect("{{#rows}}{{id}}{{name}}{{#list}}{{.}}{{/list}} {{/rows}}", "1a123 2b123 ");
  expect("{{#some}}[{{.}}]{{/some}}{{#number}}({{.}}){{/number}}", "[some](7)");
  expect("{{#bits}}{{.}} {{/bits}}{{#words}}{{.}}{{/words}}", "true false xy");
  expect("{{#row}}{{#row}}{{id}}{{/row}}{{/row}}", "9");
  expect("{{#yes}}1{{#yes}}2{{#no}}3{{/no}}4{{/yes}}5{{/yes}}", "1245");
}

TEST(TemplateRules, inverted_sections_show_what_is_absent_or_empty) {
  expect("{{^yes}}a{{/yes}}{{^no}}b{{/no}}{{^none}}c{{/none}}{{^empty}}d{{/empty}}{{^empty_list}}e{{/empty_list}}",
         "bcde");
  expect("{{^list}}none{{/list}}{{^owned}}nothing{{/owned}}", "nothing");
}

TEST(TemplateRules, comments_disappear) {
  expect("12{{! comment }}34", "1234");
  expect("12{{!\n  several\n  lines\n}}34", "1234");
  expect("Begin.\n{{! alone }}\nEnd.\n", "Begin.\nEnd.\n");
  expect("Begin.\n  {{!\n  several\n  }}\nEnd.\n", "Begin.\nEnd.\n");
  expect("  12 {{! 34 }}\n", "  12 \n");
}

TEST(TemplateRules, delimiters_can_be_changed) {
  expect("{{=<% %>=}}(<%text%>)", "(text)");
  expect("({{=[ ]=}}[text])", "(text)");
  expect("{{=| |=}}{{text}} |text| |={{ }}=|{{text}}", "{{text}} text text");
  expect("{{=<% %>=}}<%{planet}%>", "<Earth> & \"Moon's\"");
  expect("Begin.\n{{=@ @=}}\nEnd.\n", "Begin.\nEnd.\n");
  expect("|{{= @   @ =}}|", "||");
}

TEST(TemplateRules, tags_alone_on_their_line_take_it_with_them) {
  expect("| This Is\n{{#yes}}\n|\n{{/yes}}\n| A Line\n", "| This Is\n|\n| A Line\n");
  expect("| This Is\n  {{#yes}}\n|\n  {{/yes}}\n| A Line\n", "| This Is\n|\n| A Line\n");
  expect("|\r\n{{#yes}}\r\n{{/yes}}\r\n|", "|\r\n|");
  expect("  {{#yes}}\n#{{/yes}}\n/", "#\n/");
  expect("#{{#yes}}\n/\n  {{/yes}}", "#\n/\n");
  expect(" | {{#yes}}\t|\t{{/yes}} | \n", " | \t|\t | \n");
  expect("{{#yes}}{{number}}\n{{/yes}}\n", "7\n");
  expect(" {{#yes}} {{/yes}}\n", "  \n");
}

TEST(TemplateRules, partials_have_the_context_of_their_place) {
  expect("{{>name}} {{> name }} {{>name.mustache}}", "*text* *text* *text*", {{"name", "*{{text}}*"}});
  expect("{{#rows}}{{>row}}{{/rows}}", "1a 2b ", {{"row", "{{id}}{{name}} "}});
  expect("{{>a/b}}", "7", {{"a/b", "{{number}}"}});
}

TEST(TemplateRules, partials_on_a_line_of_their_own_are_indented) {
  const Map data = {{"content", "<\n->"}};
  const Partials partial = {{"partial", "|\n{{{content}}}\n|\n"}};
  EXPECT_EQ(render_text("\\\n {{>partial}}\n/\n", data, partial), "\\\n |\n <\n->\n |\n/\n");
  EXPECT_EQ(render_text("  {{content}}  {{> inline}}\n", Map{{"content", "|"}}, {{"inline", ">\n>"}}), "  |  >\n>\n");
  EXPECT_EQ(render_text(">\n  {{>outer}}\n>", data, {{"outer", "a\n  {{>inner}}\nb\n"}, {"inner", "1\n2\n"}}),
            ">\n  a\n    1\n    2\n  b\n>");
}

TEST(TemplateRules, recursive_partials_follow_the_data) {
  const Node tree{"X", {{"Y", {}}, {"Z", {{"W", {}}}}}};
  const Partials node = {{"node", "{{content}}<{{#nodes}}{{>node}}{{/nodes}}>"}};
  EXPECT_EQ(render_text("{{>node}}", tree, node), "X<Y<>Z<W<>>>");
  EXPECT_EQ(render_text("{{>node}}", tree, node, 1), "X<Y<>Z<W<>>>");
}

TEST(TemplateRules, blocks_of_a_parent_are_replaced) {
  const Partials parents = {{"layout", "<{{$title}}Default{{/title}}|{{$body}}{{/body}}>"},
                            {"older", "{{$a}}g{{/a}}{{$b}}h{{/b}}"},
                            {"middle", "{{<older}}{{$a}}p{{/a}}{{/older}}"},
                            {"card", "[{{$title}}card{{/title}}]"},
                            {"outer", "{{>layout}}"}};
  expect("{{<layout}}{{/layout}}", "<Default|>", parents);
  expect("{{<layout}} ignored {{$title}}{{text}}{{/title}}{{$body}}B{{/body}}{{/layout}}", "<text|B>", parents);
  expect("{{>layout}}", "<Default|>", parents);
  expect("{{<layout}}{{$title}}1{{/title}}{{/layout}}{{<layout}}{{$title}}2{{/title}}{{/layout}}", "<1|><2|>", parents);
  expect("{{<middle}}{{$a}}c{{/a}}{{/middle}}", "ch", parents);
  expect("{{<middle}}{{/middle}}", "ph", parents);
  expect("{{<middle}}{{$b}}c{{/b}}{{/middle}}", "pc", parents);
  expect("{{<outer}}{{$title}}T{{/title}}{{/outer}}", "<T|>", parents);
  expect("{{$own}}default{{/own}}", "default", parents);
}

TEST(TemplateRules, parents_inside_of_blocks_have_blocks_of_their_own) {
  const Partials parents = {{"layout", "<{{$title}}Default{{/title}}|{{$body}}{{/body}}>"},
                            {"card", "[{{$title}}card{{/title}}]"}};
  expect(
      "{{<layout}}{{$title}}Page{{/title}}{{$body}}{{<card}}{{$title}}A{{/title}}{{/card}}{{>card}}{{/body}}{{/"
      "layout}}",
      "<Page|[A][card]>", parents);
  expect("{{<layout}}{{$title}}x{{$title}}y{{/title}}{{/title}}{{/layout}}", "<xy|>", parents);
}

TEST(TemplateRules, blocks_in_sections_are_rendered_for_each_element) {
  expect("{{<table}}{{$cell}}{{id}}!{{/cell}}{{/table}}", "1!2!", {{"table", "{{#rows}}{{$cell}}-{{/cell}}{{/rows}}"}});
}

TEST(TemplateRules, names_that_no_struct_has_are_mistakes_with_file_and_line) {
  EXPECT_THAT(mistake("\n\n{{titel}}"), HasSubstr("page.mustache:3: there is no 'titel' in "));
  EXPECT_THAT(mistake("{{#rows}}\n{{nam}}{{/rows}}"), HasSubstr("page.mustache:2: there is no 'nam' in "));
  EXPECT_THAT(mistake("{{row.titel}}"), HasSubstr("'row.titel': "));
  EXPECT_THAT(mistake("{{>p}}", {{"p", "\n{{titel}}"}}), HasSubstr("p.mustache:2: "));
  EXPECT_THAT(mistake("{{#none}}{{titel}}{{/none}}"), "no mistake");  // not reached
  EXPECT_THAT(mistake("{{text.x}}"), HasSubstr("has no member 'x'"));
  EXPECT_THAT(mistake("{{rows}}"), HasSubstr("'rows' is not text: use a section {{#rows}}"));
  EXPECT_EQ(render_text("|{{unknown}}|{{#unknown}}x{{/unknown}}|", Map{{"a", "b"}}), "|||");
}

TEST(TemplateRules, mistakes_of_the_template_are_found_when_it_is_compiled) {
  EXPECT_EQ(mistake("a\n{{#yes}}\nb"), "page.mustache:2: 'yes' is opened and never closed");
  EXPECT_EQ(mistake("{{#yes}}\n{{/no}}"), "page.mustache:2: 'no' is closed, but 'yes' of line 1 is open");
  EXPECT_EQ(mistake("{{/yes}}"), "page.mustache:1: 'yes' is closed, but was not opened");
  EXPECT_EQ(mistake("a\n{{text"), "page.mustache:2: the tag is never closed by '}}'");
  EXPECT_EQ(mistake("{{{text}}"), "page.mustache:1: the tag is never closed by '}}}'");
  EXPECT_EQ(mistake("{{}}"), "page.mustache:1: the tag has no name");
  EXPECT_EQ(mistake("{{#}}{{/}}"), "page.mustache:1: the tag has no name");
  EXPECT_EQ(mistake("{{two words}}"), "page.mustache:1: 'two words' is not a name");
  EXPECT_EQ(mistake("{{a..b}}"), "page.mustache:1: a dotted name has an empty part");
  EXPECT_THAT(mistake("{{=<%=}}"), HasSubstr("delimiters are changed by"));
  EXPECT_THAT(mistake("{{>*name}}"), HasSubstr("dynamic names"));
  EXPECT_EQ(mistake("\n{{>none}}"), "page.mustache:2: there is no template 'none'");
  EXPECT_THAT(mistake("{{asset \"/none.css\"}}"), HasSubstr("there is no asset '/none.css'"));
}

TEST(TemplateRules, partials_without_end_are_found) {
  EXPECT_EQ(mistake("{{>page}}"), "page.mustache:1: 'page.mustache' includes itself without end");
  EXPECT_THAT(mistake("{{>a}}", {{"a", "{{>b}}"}, {"b", "\n{{>a}}"}}), HasSubstr("includes itself without end"));
  EXPECT_THAT(mistake("{{<page}}{{/page}}"), HasSubstr("includes itself without end"));
  EXPECT_THAT(mistake("{{#yes}}{{>page}}{{/yes}}"),
              HasSubstr("page.mustache:1: templates are nested more than 100 deep"));
}

// 2^40 ways through the partials, and a line of two megabytes: both took hours to compile.
TEST(TemplateRules, compiling_takes_linear_time) {
  std::vector<TemplateSource> sources;
  for (int i = 0; i < 40; ++i) {
    const std::string next = "{{>p" + std::to_string(i + 1) + "}}";
    sources.push_back({"p" + std::to_string(i), "p" + std::to_string(i), next + next});
  }
  std::string line;
  for (int i = 0; i < 100'000; ++i) line += "{{#yes}}{{/yes}}";
  sources.push_back({"p40", "p40", line});
  EXPECT_EQ(TemplateSet(std::move(sources), {}).find("p0").file, "p0");
}

TEST(TemplateRules, nesting_is_bounded) {
  std::string deep;
  for (int i = 0; i < 101; ++i) deep += "{{#yes}}";
  EXPECT_THAT(mistake(deep), HasSubstr("nested more than 100 deep"));
}

TEST(TemplateRules, every_part_of_a_template_is_refused_or_rendered) {
  const std::string page =
      "{{#rows}}\n {{>p}}\n{{/rows}}{{^no}}{{{planet}}}{{/no}}{{<l}}{{$b}}{{row.id}}{{/b}}{{/l}}{{=<% %>=}}<%text%>";
  const Partials partials = {{"p", "{{id}}\n"}, {"l", "{{$b}}{{/b}}"}};
  for (std::size_t end = 0; end <= page.size(); ++end) {
    for (std::size_t begin : {std::size_t{0}, end / 3, end / 2}) {
      static_cast<void>(mistake(page.substr(begin, end - begin), partials));
    }
  }
}

}  // namespace
}  // namespace tern::web
