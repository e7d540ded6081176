#!/usr/bin/env python3
"""Makes the pages of the API reference from Doxygen's XML: one page for each public header that declares something.

usage: reference.py XML HEADERS OUTPUT
  XML      the folder that Doxygen has written
  HEADERS  the folder that has tern/
  OUTPUT   the folder for the pages
"""
import pathlib
import re
import sys
import textwrap
import xml.etree.ElementTree as ET

# Users write the names of these namespaces: everything there has an entry. Elsewhere, what has a comment.
OPEN_NAMESPACES = ("tern", "tern::testing", "tern::sql", "tern::json")
CLOSED_NAMESPACES = ("tern::app", "tern::base")  # how headers work inside
GROUPS = [("app", "Applications: routes, handlers, options"), ("http", "Requests, responses, streams, WebSockets"), ("json", "JSON and rules"),
          ("coro", "Coroutines"), ("net", "The thread pool"), ("web", "Pages, sessions, protection: `tern::web`"),
          ("observe", "Metrics, health, traces: `tern::observe`"), ("sql", "Databases: `tern::sql`"), ("sqlite", "SQLite: `tern::sqlite`"),
          ("postgres", "PostgreSQL: `tern::postgres`"), ("redis", "Redis: `tern::redis`"), ("base", "Basics"), ("", "Others")]


def escaped(text):
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", text)


class Reference:
    def __init__(self, xml, headers):
        self.xml, self.headers = pathlib.Path(xml), pathlib.Path(headers)
        self.places = {}  # Doxygen's id: (header, anchor, name)
        self.pages = {}   # header: entries, as (line, kind, name, text)
        self.namespaces = set()

    def read(self):
        self.compounds, self.files = [], []
        for entry in ET.parse(self.xml / "index.xml").getroot():
            kind = entry.get("kind")
            if kind == "namespace":
                self.namespaces.add(entry.findtext("name"))
            if kind in ("class", "struct", "file", "concept", "union"):
                node = ET.parse(self.xml / f"{entry.get('refid')}.xml").getroot().find("compounddef")
                (self.files if kind == "file" else self.compounds).append(node)
        self.compounds = [node for node in self.compounds if self.is_shown(node, node.findtext("compoundname"))]
        for node in self.compounds:
            name, header = node.findtext("compoundname"), node.find("location").get("file")
            self.places[node.get("id")] = (header, anchor_of(name), name)
            for member in node.iter("memberdef"):
                self.places[member.get("id")] = (header, anchor_of(name), name)
        for node in self.files:
            for member in node.iter("memberdef"):
                if self.is_shown(member, member.findtext("qualifiedname") or member.findtext("name")):
                    self.places[member.get("id")] = (member.find("location").get("file"), anchor_of(member.findtext("name")), member.findtext("name"))

    def namespace(self, name):
        """The innermost namespace that a qualified name is in."""
        scope = re.sub(r"<.*", "", name)
        while "::" in scope:
            scope = scope.rpartition("::")[0]
            if scope in self.namespaces:
                return scope
        return ""

    def is_shown(self, node, name):
        if "<" in name.replace("operator<", "") or node.get("prot", "public") != "public" or node.find("location") is None:
            return False
        namespace = self.namespace(name)
        return namespace in OPEN_NAMESPACES or (has_text(node) and not namespace.startswith(CLOSED_NAMESPACES))

    # Texts

    def text(self, node, header):
        """The description of an entry as Markdown."""
        return "\n\n".join(part for tag in ("briefdescription", "detaileddescription")
                           for part in [self.blocks(node.find(tag), header)] if part)

    def blocks(self, node, header):
        if node is None:
            return ""
        out, inline = [], (node.text or "")
        inline = escaped(inline)
        for child in node:
            if child.tag in ("para", "itemizedlist", "orderedlist", "verbatim", "programlisting", "simplesect", "blockquote"):
                out.append(inline.strip())
                inline = ""
                out.append(self.block(child, header))
            else:
                inline += self.inline(child, header)
            inline += escaped(child.tail or "")
        out.append(inline.strip())
        return "\n\n".join(part for part in out if part)

    def block(self, node, header):
        if node.tag in ("itemizedlist", "orderedlist"):
            items = [self.blocks(item, header).replace("\n", "\n    ") for item in node.findall("listitem")]
            return "\n".join(f"- {item}" for item in items)
        if node.tag == "verbatim":
            return f"```cpp\n{textwrap.dedent(node.text.strip(chr(10)))}\n```"
        if node.tag == "programlisting":
            lines = "\n".join(plain(line) for line in node.findall("codeline"))
            return f"```cpp\n{textwrap.dedent(lines)}\n```"
        return self.blocks(node, header)

    def inline(self, node, header):
        if node.tag == "computeroutput":
            return f"`{plain(node)}`"
        if node.tag == "ref" and node.get("refid") in self.places:
            target, anchor, _ = self.places[node.get("refid")]
            return f"[{escaped(plain(node))}]({page_of(target)}#{anchor})"
        if node.tag == "ulink":
            return f"[{escaped(plain(node))}]({node.get('url')})"
        if node.tag in ("emphasis", "bold"):
            mark = "*" if node.tag == "emphasis" else "**"
            return f"{mark}{escaped(plain(node))}{mark}"
        signs = {"ndash": "–", "mdash": "–", "nonbreakablespace": " ", "linebreak": " ", "sp": " "}
        return signs.get(node.tag) or escaped(plain(node))

    # Entries

    def make(self):
        for node in self.compounds:
            location = node.find("location")
            self.add(location.get("file"), int(location.get("line")), self.compound(node, location.get("file")))
        for node in self.files:
            header = node.find("location").get("file")
            members = [member for member in node.iter("memberdef")
                       if member.get("id") in self.places and member.find("location").get("file") == header]
            for group in grouped(members):
                name = group[0].findtext("name")
                scope = self.namespace(group[0].findtext("qualifiedname") or "")
                lines = [f"## `{(scope + '::') if scope else ''}{name}` {{ #{anchor_of(name)} }}", self.signatures(group), self.enumerators(group[0], header)]
                lines += [self.text(member, header) for member in group]
                self.add(header, int(group[0].find("location").get("line")), "\n\n".join(filter(None, lines)))

    def add(self, header, line, text):
        self.pages.setdefault(header, []).append((line, text))

    def compound(self, node, header):
        name, kind = node.findtext("compoundname"), node.get("kind")
        lines = [f"## `{name}` {{ #{anchor_of(name)} }}"]
        if kind == "concept":
            lines += [f"```cpp\n{plain(node.find('initializer'))}\n```", self.text(node, header)]
            return "\n\n".join(filter(None, lines))
        head = f"{template(node)}{kind} {name.rpartition('::')[2]}"
        bases = [base.text for base in node.findall("basecompoundref") if base.get("prot") == "public"]
        lines += [f"```cpp\n{head}{' : ' + ', '.join(bases) if bases else ''};\n```", self.text(node, header)]
        members = [member for section in node.findall("sectiondef") if section.get("kind", "").startswith("public") or section.get("kind") == "user-defined"
                   for member in section.findall("memberdef") if member.get("prot") == "public"]
        members.sort(key=lambda member: int(member.find("location").get("line")))
        values = [member for member in members if member.get("kind") == "variable"]
        if values:
            rows = [f"| {code(declaration(member))} | {cell(self.text(member, header))} |" for member in values]
            lines.append("| member | |\n| --- | --- |\n" + "\n".join(rows))
        for group in grouped([member for member in members if member.get("kind") != "variable" and not is_special(member, name)]):
            lines += [self.signatures(group), self.enumerators(group[0], header)]
            lines += [self.text(member, header) for member in group]
        return "\n\n".join(filter(None, lines))

    def signatures(self, group):
        return "```cpp\n" + "\n".join(signature(member) for member in group) + "\n```"

    def enumerators(self, member, header):
        values = member.findall("enumvalue")
        if not values:
            return ""
        rows = [f"| {code(value.findtext('name') + ' ' + (value.findtext('initializer') or ''))} | {cell(self.text(value, header))} |" for value in values]
        return "| value | |\n| --- | --- |\n" + "\n".join(rows)

    # Pages

    def write(self, output):
        output = pathlib.Path(output)
        descriptions = {node.find("location").get("file"): self.text(node, node.find("location").get("file")) for node in self.files}
        umbrellas = self.umbrellas()
        for header, entries in self.pages.items():
            parts = [f"---\nsearch:\n  boost: 0.3\ntitle: {header}\n---\n", f"# `<{header}>`", descriptions.get(header, "")]
            included = [f"`<{umbrella}>`" for umbrella in umbrellas if umbrella != header and header in umbrellas[umbrella]]
            if included:
                parts.append("Included by " + ", ".join(included) + ".")
            seen = set()
            for _, text in sorted(entries, key=lambda entry: entry[0]):
                parts.append(unique_anchor(text, seen))
            write(output / page_of(header), "\n\n".join(filter(None, parts)) + "\n")
        write(output / "README.md", self.index(descriptions))

    def index(self, descriptions):
        lines = ["# API reference\n", "A page for each public header, made from its comments: contracts, units, errors, lifetimes and threads. "
                 "Programs include a header of a component, such as `<tern/tern.hpp>` or `<tern/web.hpp>`, which includes the others.\n"]
        done = set()
        for folder, title in GROUPS:
            headers = sorted(header for header in self.pages if header not in done and (not folder or header.startswith(f"tern/{folder}/")))
            done.update(headers)
            if not headers:
                continue
            lines.append(f"\n## {title}\n\n| header | declares |\n| --- | --- |")
            for header in headers:
                names = sorted({(name, anchor) for target, anchor, name in self.places.values() if target == header})
                links = [f"[`{name.removeprefix('tern::')}`]({page_of(header)}#{anchor})" for name, anchor in names if not name.startswith("operator")]
                more = f", {len(links) - 12} more" if len(links) > 12 else ""
                lines.append(f"| [{escaped(header)}]({page_of(header)}) | {', '.join(links[:12])}{more} |")
        return "\n".join(lines) + "\n"

    def umbrellas(self):
        """Of each header directly below tern/, all that it includes."""
        def includes(header):
            text = (self.headers / header).read_text()
            return [name for name in re.findall(r"^#include <(tern/[^>]+)>", text, re.M) if (self.headers / name).exists()]
        closures = {}
        for path in sorted((self.headers / "tern").glob("*.hpp")):
            reached, todo = set(), [f"tern/{path.name}"]
            while todo:
                header = todo.pop()
                if header not in reached:
                    reached.add(header)
                    todo += includes(header)
            closures[f"tern/{path.name}"] = reached
        return closures


def has_text(node):
    return any("".join(node.find(tag).itertext()).strip() for tag in ("briefdescription", "detaileddescription") if node.find(tag) is not None)


def plain(node):
    if node is None:
        return ""
    text = node.text or ""
    for child in node:
        text += (" " if child.tag == "sp" else plain(child)) + (child.tail or "")
    return text


def tidy(text):
    """Doxygen writes `std::vector< std::string > &`."""
    text = re.sub(r"\s+", " ", text).replace("< ", "<").replace(" >", ">").replace("( ", "(").replace(" )", ")")
    return re.sub(r" ([&*]+)(?=[\s,)>]|\w|$)", r"\1 ", text).replace(" ,", ",").replace(" )", ")").replace(" >", ">").strip()


def anchor_of(name):
    short = re.sub(r"<.*", "", name) if not name.startswith("operator") else name
    return re.sub(r"[^A-Za-z0-9]+", "-", short.removeprefix("tern::")).strip("-") or "operators"


def template(node):
    parameters = node.find("templateparamlist")
    if parameters is None:
        return ""
    words = []
    for parameter in parameters.findall("param"):
        word = tidy(" ".join(filter(None, [plain(parameter.find("type")), parameter.findtext("declname") or ""])))
        default = plain(parameter.find("defval"))
        words.append(word + (f" = {tidy(default)}" if default else ""))
    return f"template <{', '.join(words)}>\n" if words else ""


def signature(member):
    kind = member.get("kind")
    if kind == "enum":
        base = plain(member.find("type"))
        return f"enum class {member.findtext('name')}{' : ' + tidy(base) if base else ''};"
    if kind in ("typedef", "using"):
        return f"{template(member)}using {member.findtext('name')} = {tidy(plain(member.find('type')))};"
    if kind == "variable":
        return declaration(member) + ";"
    words = [plain(member.find("type")), member.findtext("name") + plain(member.find("argsstring"))]
    explicit = "explicit " if member.get("explicit") == "yes" else ""
    static = "static " if member.get("static") == "yes" and member.get("kind") == "function" else ""
    text = tidy(" ".join(filter(None, words)))
    requires = plain(member.find("requiresclause"))
    return f"{template(member)}{'requires ' + tidy(requires) + chr(10) if requires else ''}{static}{explicit}{text};"


def declaration(member):
    initializer = plain(member.find("initializer")).strip()
    initializer = "" if initializer in ("= {}", "{}") or len(initializer) > 60 else " " + initializer
    return tidy(f"{plain(member.find('type'))} {member.findtext('name')}{plain(member.find('argsstring'))}") + initializer


def is_special(member, name):
    """Copies, moves and destruction that have no comment are like those of any value."""
    if has_text(member):
        return False
    called = member.findtext("name")
    arguments = plain(member.find("argsstring"))
    if called.startswith("~") or called == "operator=" or "=delete" in arguments:
        return True
    short = name.rpartition("::")[2]
    return called == short and bool(re.match(rf"\((const )?{re.escape(short)}\s*&", arguments))


def grouped(members):
    """A comment is about its declaration and those below it that have none and the same name."""
    groups = []
    for member in members:
        last = groups[-1] if groups else None
        if last and not has_text(member) and last[0].findtext("name") == member.findtext("name") and member.get("kind") != "enum":
            last.append(member)
        else:
            groups.append([member])
    return groups


def cell(text):
    return re.sub(r"\s*\n\s*", " ", text.replace("```cpp\n", "`").replace("\n```", "`"))


def code(text):
    text = text.strip().replace("|", "\\|")
    return f"`{text}`"


def unique_anchor(text, seen):
    """Overloads with comments of their own have anchors of their own."""
    match = re.search(r"\{ #([\w-]+) \}", text)
    anchor, count = match.group(1), 1
    while anchor in seen:
        count += 1
        anchor = f"{match.group(1)}-{count}"
    seen.add(anchor)
    return text.replace(match.group(0), f"{{ #{anchor} }}", 1)


def page_of(header):
    return header.removeprefix("tern/").replace("/", "-").replace(".hpp", ".md")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main():
    reference = Reference(sys.argv[1], sys.argv[2])
    reference.read()
    reference.make()
    reference.write(sys.argv[3])
    print(f"{len(reference.pages)} headers, {len(reference.places)} names")


main()
