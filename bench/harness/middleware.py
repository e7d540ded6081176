"""The cost of middleware of tern::web: hello with it beside hello without it, in one server; and tokens and sessions
beside other servers."""
from harness import login, variants
from harness.requests import request

LOGIN_ROUNDS = 7
ROWS = {"nothing": "none", "`SecurityHeaders`": "head", "`RequestIds`": "name", "`RequestIds and SecurityHeaders`": "both"}


def table():
    costs = variants.samples("middleware", "bench-web", {f"web_{path}": request("GET", f"/{path}") for path in ROWS.values()})
    text = "| around hello | CPU per request | of hello's |\n| --- | ---: | ---: |\n"
    for name, path in ROWS.items():
        text += variants.row(name, costs["web_none"], costs[f"web_{path}"])
    return text + "\n" + login.table(LOGIN_ROUNDS, variants.SECONDS)
