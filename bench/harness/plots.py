"""Plots as SVG, written by hand: bars of throughput, CPU per request and memory, and the percentiles of latency."""
import math
from xml.sax.saxutils import escape

WIDTH, ROW, NAME, VALUE, GAP = 520, 20, 150, 74, 30
BAR = WIDTH - NAME - VALUE
COLOURS = {"tern": "#0072b2", "floor": "#999999", "peer": "#e69f00"}
DOTS = {"p50": "#009e73", "p99": "#d55e00", "p99.9": "#7b3294"}


def colour(row):
    return COLOURS["tern" if row["is_tern"] else "floor" if row["is_floor"] else "peer"]


def text(x, y, content, anchor="start", weight="normal", fill="#222222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" fill="{fill}">{escape(content)}</text>'


def short(value):
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g}"


def time(value):
    """Of microseconds."""
    return f"{value / 1e6:.3g} s" if value >= 1e6 else f"{value / 1e3:.3g} ms" if value >= 1e3 else f"{value:.3g} µs"


def height_of(rows):
    return 26 + ROW * len(rows) + GAP


def bars(title, rows, key, format_value):
    """A panel: its longest bar is the largest value, its axis begins at zero."""
    parts = [text(0, 14, title, weight="bold")]
    most = max(row[key] for row in rows) or 1
    for number, row in enumerate(rows):
        y = 26 + ROW * number
        length = BAR * row[key] / most
        parts.append(text(NAME - 8, y + 13, row["name"], "end", "bold" if row["is_tern"] else "normal"))
        parts.append(f'<rect x="{NAME}" y="{y + 2}" width="{length:.1f}" height="{ROW - 6}" fill="{colour(row)}"/>')
        parts.append(text(NAME + length + 6, y + 13, format_value(row[key])))
    return parts


def latencies(rows):
    """A panel with a logarithmic axis: a dot for each percentile."""
    parts = [text(0, 14, "latency", weight="bold")]
    for number, (name, fill) in enumerate(DOTS.items()):
        x = NAME + 60 * number
        parts.append(f'<circle cx="{x}" cy="10" r="4" fill="{fill}"/>')
        parts.append(text(x + 8, 14, name))
    known = [row[name] for row in rows for name in DOTS if row[name]]
    if not known:
        return [*parts, text(NAME, 39, "not reported by this client")]
    low, high = math.floor(math.log10(min(known))), math.ceil(math.log10(max(known)))
    high = max(high, low + 1)

    def place(value):
        return NAME + (WIDTH - NAME - 30) * (math.log10(value) - low) / (high - low)
    bottom = 26 + ROW * len(rows)
    for power in range(low, high + 1):
        x = place(10 ** power)
        parts.append(f'<line x1="{x:.1f}" y1="24" x2="{x:.1f}" y2="{bottom}" stroke="#dddddd"/>')
        parts.append(text(x, bottom + 14, time(10 ** power), "middle", fill="#666666"))
    for number, row in enumerate(rows):
        y = 26 + ROW * number + ROW / 2 - 1
        parts.append(text(NAME - 8, y + 4, row["name"], "end", "bold" if row["is_tern"] else "normal"))
        values = [place(row[name]) for name in DOTS if row[name]]
        if values:
            parts.append(f'<line x1="{min(values):.1f}" y1="{y}" x2="{max(values):.1f}" y2="{y}" stroke="#aaaaaa"/>')
        parts += [f'<circle cx="{place(row[name]):.1f}" cy="{y}" r="4" fill="{fill}"/>' for name, fill in DOTS.items() if row[name]]
    return parts


def of_workload(title, rows):
    """Four panels, two beside two."""
    panels = [] if not rows else [
        bars("requests a second", rows, "rate", short),
        bars("CPU per request", rows, "cpu", time),
        latencies(rows),
        bars("memory", rows, "memory", lambda value: f"{value / 1024 / 1024:.3g} MiB"),
    ]
    height = height_of(rows)
    parts = []
    for number, panel in enumerate(panels):
        x, y = 10 + (WIDTH + 20) * (number % 2), 40 + height * (number // 2)
        parts.append(f'<g transform="translate({x} {y})">' + "\n".join(panel) + "</g>")
    total = 40 + 2 * height
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * WIDTH + 50}" height="{total}" font-family="sans-serif" font-size="12">\n'
            f'<rect width="100%" height="100%" fill="#ffffff"/>\n'
            f'{text(10, 22, title.replace("`", ""), weight="bold")}\n' + "\n".join(parts) + "\n</svg>\n")
