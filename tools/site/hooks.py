"""Hooks of mkdocs: pages from outside of docs/, links to them, and the navigation.

- README.md of the repository is the first page; CHANGELOG.md and its like are pages below project/.
- A link from a page to another file of the repository leads to a page with the text of that file; a link to a folder, to
  a list of its files. Only files that are linked have such pages.
- The navigation is that of the lists: docs/guide/README.md, docs/cookbook/README.md and so on, so that a new page is
  named in one place.
"""
import pathlib
import re
import sys

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SITE = pathlib.Path(__file__).resolve().parent
API = ROOT / "build/docs/api"

sys.path.insert(0, str(ROOT / "tools"))
from tree import files as tree_files  # noqa: E402

PROJECT = ["CHANGELOG.md", "ROADMAP.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SUPPORT.md", "SECURITY.md"]
FENCE = re.compile(r"^( *)(```+)(.*?)\n(.*?)^\1\2 *$\n?", re.M | re.S)
LINK = re.compile(r"(\[[^\]]*\]\()([^)\s#]*)(#[^)\s]*)?(\))")
LIST_LINK = re.compile(r"^\s*(?:[-*]|\d+\.) .*?\[(.+?)\]\(([^)#\s]+\.md)\)", re.M)
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".js": "javascript", ".yml": "yaml", ".json": "json", ".sh": "bash",
             ".bash": "bash", ".sql": "sql", ".css": "css", ".html": "html", ".service": "ini", ".conf": "nginx", ".cmake": "cmake"}

# The search shows what explains before what decides and records.
RANKS = {"adr": {"boost": 0.3}, "internals": {"boost": 0.5}, "project": {"boost": 0.5}, "repository": {"exclude": True}, "tutorial": {"boost": 2},
         "cookbook": {"boost": 2}, "guide": {"boost": 2}}

pages = {}  # of the repository: path -> page of the site


def prose(text):
    return FENCE.sub("", text)


def targets(path):
    """The files and folders of the repository that a document links to."""
    for _, target, _, _ in LINK.findall(prose((ROOT / path).read_text())):
        if target and "://" not in target and not target.startswith(("mailto:", "/")):
            reached = (ROOT / path).parent.joinpath(target).resolve()
            if reached.exists() and reached.is_relative_to(ROOT):
                yield reached.relative_to(ROOT)


def page_name(path):
    """The page for a file or folder of the repository."""
    text = path.as_posix()
    if text == "README.md":
        return "index.md"
    if text in PROJECT:
        return f"project/{path.stem.lower()}.md"
    if path.parts[0] == "docs":
        return path.relative_to("docs").as_posix()
    if (ROOT / path).is_dir():
        return f"repository/{text}/index.md"
    return f"repository/{text}" if path.suffix == ".md" else f"repository/{text}.md"


def source_page(path):
    if (ROOT / path).is_dir():
        entries = sorted(file for file in tracked() if path in file.parents)
        return f"# {path}\n\n" + "".join(f"- [{entry.relative_to(path)}]({entry.relative_to(path)})\n" for entry in entries)
    language = LANGUAGES.get(path.suffix) or ("cmake" if path.name == "CMakeLists.txt" else "text")
    text = (ROOT / path).read_text(errors="replace")
    if text.startswith("#!") and path.suffix == "":
        language = "bash"
    return f"# {path.name}\n\n`{path}`\n\n`````{language}\n{text.rstrip()}\n`````\n"


def tracked():
    return [pathlib.Path(path) for path in tree_files(".cpp", ".hpp", ".md", ".html", ".css", ".js", ".json", ".txt", ".sql", ".service", ".conf", ".bash", ".py", "")]


def collect():
    todo = [pathlib.Path("README.md"), *map(pathlib.Path, PROJECT)]
    todo += [path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md")]
    while todo:
        path = todo.pop()
        if path in pages:
            continue
        # The list of a folder is its README, if there is one.
        if (ROOT / path).is_dir() and path.parts[0] == "docs":
            continue
        pages[path] = page_name(path)
        if (ROOT / path).is_dir():
            todo += [file for file in tracked() if path in file.parents]
        elif path.suffix == ".md":
            todo += targets(path)


def listed(folder, name="README.md"):
    """The entries of the list in a README, under its headings if it has some."""
    path = ROOT / "docs" / folder / name
    if not path.exists():
        return []
    entries = [f"{folder}/{name}"]
    current = entries
    for line in prose(path.read_text()).splitlines():
        if line.startswith("## "):
            current = []
            entries.append({line[3:].strip(): current})
        for title, target in LIST_LINK.findall(line):
            if (path.parent / target).exists():
                current.append({re.sub(r"[`*]", "", title): f"{folder}/{target}"})
    return [entry for entry in entries if not (isinstance(entry, dict) and list(entry.values()) == [[]])]


def on_config(config):
    collect()
    api = sorted(API.glob("*.md"))
    groups = {}
    for path in api:
        if path.name != "README.md":
            groups.setdefault(path.name.split("-")[0] if "-" in path.name else "headers", []).append(
                {path.stem.replace("-", "/", 1) + ".hpp": f"api/{path.name}"})
    nav = [{"Start": ["index.md", "guide/first-steps.md"]}]
    for title, folder in (("Tutorial", "tutorial"), ("Guide", "guide"), ("Cookbook", "cookbook"), ("Coming from", "coming-from")):
        if entries := listed(folder):
            nav.append({title: entries})
    nav.append({"API": ["api/README.md", *({name: entries} for name, entries in sorted(groups.items()))]})
    nav.append({"Internals": [{"Architecture": "project/architecture.md"}, {"Glossary": "internals/glossary.md"}, {"Performance": "performance.md"},
                              {"Performance history": "internals/performance-history.md"}, *extra_internals(), {"Decisions": listed("adr")}]})
    nav.append({"Project": [{"Changelog": "project/changelog.md"}, {"Limitations": "limitations.md"}, {"Roadmap": "project/roadmap.md"},
                            {"Contributing": "project/contributing.md"}, {"Support": "project/support.md"}, {"Security": "project/security.md"}]})
    config.nav = nav
    return config


def extra_internals():
    known = {"glossary.md", "performance-history.md"}
    for path in sorted((ROOT / "docs/internals").glob("*.md")):
        if path.name not in known:
            yield {path.read_text().splitlines()[0].lstrip("# "): f"internals/{path.name}"}


def on_files(files, config):
    for path, name in pages.items():
        if files.get_file_from_path(name):
            continue
        if path.suffix == ".md" and not (ROOT / path).is_dir():
            files.append(File.generated(config, name, abs_src_path=str(ROOT / path)))
        else:
            files.append(File.generated(config, name, content=source_page(path)))
    for path in API.glob("*.md"):
        files.append(File.generated(config, f"api/{path.name}", abs_src_path=str(path)))
    for name in ("site.css", "tern.svg"):
        files.append(File.generated(config, name, abs_src_path=str(SITE / name)))
    for file in files:
        if file.src_uri.startswith("repository/"):
            file.inclusion = type(file.inclusion).NOT_IN_NAV
    return files


def on_page_markdown(markdown, page, config, files):
    """Links of the repository become links of the site."""
    name = page.file.src_uri
    if name.startswith("api/"):
        return markdown
    page.meta.setdefault("search", RANKS.get(name.split("/")[0], {}))
    path = next((path for path, known in pages.items() if known == name), None)
    folder = path if path is not None and (ROOT / path).is_dir() else (path.parent if path is not None else None)
    depth = "../" * name.count("/")

    def link(match):
        before, target, anchor, after = match.groups()
        if not target or "://" in target or target.startswith("mailto:") or folder is None:
            return match.group(0)
        reached = ROOT.joinpath(folder, target).resolve()
        known = pages.get(reached.relative_to(ROOT)) if reached.is_relative_to(ROOT) else None
        return f"{before}{depth}{known}{anchor or ''}{after}" if known else match.group(0)

    out, last = [], 0
    for fence in FENCE.finditer(markdown):
        out.append(LINK.sub(link, markdown[last:fence.start()]))
        # `excerpt` and `from …` are for the gate.
        language = fence.group(3).strip().split(" ")[0]
        opening = f"{fence.group(1)}{fence.group(2)}{language}"
        # So is the line between what stands outside of a function and what stands within.
        code = re.sub(r"^// ---\n", "\n", fence.group(4), flags=re.M).lstrip("\n") if language == "cpp" else fence.group(4)
        out.append(f"{opening}\n{code}{fence.group(1)}{fence.group(2)}\n")
        last = fence.end()
    out.append(LINK.sub(link, markdown[last:]))
    return "".join(out)


def on_post_build(config):
    """The theme's script can ask other hosts for what this site does not use; it cannot any more."""
    for path in pathlib.Path(config.site_dir).rglob("bundle.*.js"):
        text = path.read_text(encoding="utf-8")
        for address in ("https://unpkg.com/", "https://api.github.com/", "https://${e}/api/v4/"):
            text = text.replace(address, "/unused/")
        path.write_text(text, encoding="utf-8")
