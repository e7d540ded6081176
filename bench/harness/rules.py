"""The cost of rules: handlers whose arguments have rules, beside the same handlers without, in one server."""
from harness import variants
from harness.requests import JSON_TYPE, request

# bench/server/books.hpp has the same book.
BOOK = (b'{"title":"A title of a book","isbn":"9780441013593","year":1965,"price":19.99,"tags":["history","science","letters"],'
        b'"authors":[{"name":"Ada Lovelace","email":"ada@example.org"},{"name":"Mary Shelley","email":"mary@example.org"}]}')
CONTENTS = {"object": (BOOK, b"1965"), "list": (b"[" + b",".join([BOOK] * 100) + b"]", b"100")}
ROWS = {"nothing": "plain", "limits, lengths, unique items, a predicate": "ruled", "these, and two e-mail addresses": "email",
        "these, and two patterns": "match"}


def table():
    requests = {f"{what}_{path}": request("POST", f"/{what}/{path}", [JSON_TYPE], content, expected)
                for what, (content, expected) in CONTENTS.items() for path in ROWS.values()}
    costs = variants.samples("rules", "bench-rules", requests)
    text = "| argument | rules | CPU per request | of that without |\n| --- | --- | ---: | ---: |\n"
    for what, shown in {"object": "an object of 11 values", "list": "a list of 100"}.items():
        for name, path in ROWS.items():
            text += "| " + shown + " " + variants.row(name, costs[f"{what}_plain"], costs[f"{what}_{path}"])
    return text
