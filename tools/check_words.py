#!/usr/bin/env python3
"""Rejects banned functions, heavy headers, leftovers, and words that the glossary has replaced."""
import re

from tree import ROOT, files, report

EVERYWHERE = {
    r"\b(?:std::)?(?:stoi|stol|stoll|stoul|stoull|stod|stof|strtol|strtoll|strtoul|strtod|atoi|atol|atof)\s*\(":
        "numbers are read by base/number.hpp",
    r"\b(?:sprintf|strcpy|strcat|gets|gmtime|localtime|strtok)\s*\(": "banned",
    r"\.detach\s*\(\)": "threads are joined",
    r"\bshared_from_this\b": "banned",
    r"^\s*#\s*if 0\b": "dead code",
    r"\b(?:TODO|FIXME|XXX|HACK)\b": "say it in an issue",
    r"\busing namespace (?!std::chrono|std::chrono_literals|std::string_literals|std::string_view_literals)":
        "names are spelled out",
    r"\bDISABLED_": "a test is run or is not there",
}
# What <tern/tern.hpp> must not bring; tools/check_budget.py looks at what it really brings.
IN_PUBLIC_HEADERS = {
    r"^\s*#\s*include <(?:iostream|sstream|fstream|regex|functional|filesystem|memory|map|unordered_map|stop_token|"
    r"chrono|thread|algorithm|ranges)>": "too heavy for a public header",
    r"^\s*#\s*define\b(?! TERN_VERSION)": "no macros in the public surface",  # but for what #if can compare
}
OPTIONAL_HEADERS = {"include/tern/json/nlohmann.hpp"}
SLEEP = r"\b(?:this_thread::sleep_\w+|usleep|nanosleep)\s*\("  # tern::sleep_for() is not meant

# Names that were replaced by the terms of docs/internals/glossary.md: old name, new one.
REPLACED = {
    "answer_plainly": "answer_with_cached_head",
    "be_quiet": "the states of a drain",
    "choose_deflate": "negotiate_deflate",
    "Departures": "DisconnectSweep, or linger list",
    "DeflateTerms": "DeflateParameters",
    "DeflateWishes": "DeflateConfig",
    "go_on_draining": "the states of a drain",
    "happened_": "events_",
    "Happened": "StreamEvents",
    "Keeper": "Publisher",
    "KnownBlocks": "HeaderBlockCache",
    "KnownHeads": "RequestHeadCache",
    "least_rate": "min_data_rate",
    "let_take": "direct receive",
    "lies_in": "is_within",
    "PlainHead": "CachedResponseHead",
    "represent_": "redeliver",
    "RoundEnd": "IterationEnd",
    "Sealer": "Encryptor",
    "shake": "negotiate",
    "SocketCaller": "TransportWebSocket",
    "SpareStrings": "BufferPool",
    "Speech": "ClientProtocol",
    "stand_alone": "exempt_from_connection_window",
    "starved_": "on_descriptor_available",
    "strangers_were_told_": "foreign_messages_logged_",
    "take_happened": "take_events",
    "takeable": "direct receive",
}
# Paraphrases, in comments, names, documents and messages: phrase, replacement. A blank also stands for '_'.
PHRASES = {
    "anybody": "name the thread, client or process",
    "are told": "get, or are notified",
    "dear one": "name it",
    "everybody": "all, and of which kind",
    "goes its own way": "name the path",
    "has to do with": "concerns",
    "held up": "blocked",
    "is told": "gets, or is notified",
    "looks for more": "polls",
    "nobody": "name the thread, client or process",
    "once is enough": "further calls have no effect",
    "somebody": "name the thread, client or process",
    "vouches": "verifies, or trusts",
    "wake-up": "iteration",
    "what came": "name it",
    "what comes": "name it",
    "who is served": "name the client or request",
    "whoever": "name the caller",
}
WORDED = (".hpp", ".cpp", ".md", ".py", ".js", ".bash", ".txt", ".cmake", ".html")
NOT_WORDED = ("bench/results/", "docs/internals/glossary.md", "tools/check_words.py")


def word_rules():
    rules = {rf"(?<!\w){re.escape(name)}(?!\w)": f"now: {new}" for name, new in REPLACED.items()}
    for phrase, new in PHRASES.items():
        rules[rf"(?i:(?<![a-z]){phrase.replace(' ', '[ _]')}(?![a-z]))"] = f"paraphrase: {new}"
    return [(re.compile(pattern), why) for pattern, why in rules.items()]


def replaced_words():
    rules = word_rules()
    literals = [text.lower().replace("_", " ") for text in (*REPLACED, *PHRASES)]
    for path in files(*WORDED):
        if str(path).startswith(NOT_WORDED):
            continue
        text = (ROOT / path).read_text(errors="replace")
        plain = text.lower().replace("_", " ")
        if not any(literal in plain for literal in literals):  # much faster than the expressions
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, why in rules:
                if pattern.search(line):
                    yield f"{path}:{number}: {line.strip()[:120]} ({why})"


def main():
    faults = list(replaced_words())
    for path in files(".hpp", ".cpp"):
        rules = dict(EVERYWHERE)
        if path.parts[0] == "include" and str(path) not in OPTIONAL_HEADERS:
            rules |= IN_PUBLIC_HEADERS
        if path.name.endswith("_test.cpp") or path.parts[0] == "tests":
            rules[SLEEP] = "tests await events"
        text = (ROOT / path).read_text()
        if not re.search("|".join(rules), text, re.M):  # all at once, comments too: few files go on
            continue
        for number, line in enumerate(text.splitlines(), 1):
            code = line.split("//", 1)[0] if "TODO" not in line and "FIXME" not in line else line
            for pattern, why in rules.items():
                if re.search(pattern, code):
                    faults.append(f"{path}:{number}: {line.strip()} ({why})")
    report("words", faults)


main()
