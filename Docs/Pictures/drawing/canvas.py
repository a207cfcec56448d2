"""Draws boxes, lines and words, in colours for light and dark pages.

A picture has its own background, so that it is readable where `prefers-color-scheme` is ignored. Words that are too long for their place are an error. Their
widths are estimated for the widest of the fonts that a reader may have.
"""
import re
from html import escape

ENGLISH, CHINESE = 0, 1
LANGUAGES = ("en", "zh-Hans")
WIDTH, MARGIN = 820, 24

SANS = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif"
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', 'Noto Sans Mono CJK SC', monospace"

# The colours for light and for dark pages.
INKS = {
    "ink": ("#1f2328", "#e6edf3"),
    "soft": ("#59636e", "#9198a1"),
    "blue": ("#0550ae", "#79c0ff"),
    "green": ("#116329", "#7ee787"),
    "violet": ("#6639ba", "#d2a8ff"),
    "amber": ("#7d4e00", "#e3b341"),
    "red": ("#a40e26", "#ff9492"),
}
LINES = {
    "soft": ("#d1d9e0", "#3d444d"),
    "strong": ("#818b98", "#7d8590"),
    "blue": ("#0969da", "#4493f8"),
    "green": ("#1a7f37", "#3fb950"),
    "violet": ("#8250df", "#ab7df8"),
    "amber": ("#9a6700", "#d29922"),
    "red": ("#cf222e", "#f85149"),
}
TINTS = {
    "page": ("#ffffff", "#0d1117"),
    "soft": ("#f6f8fa", "#151b23"),
    "blue": ("#eaf4ff", "#101f33"),
    "green": ("#e6f7ea", "#10241a"),
    "violet": ("#f5efff", "#21182f"),
    "amber": ("#fff6d9", "#2a2110"),
    "red": ("#fff0ee", "#2c1619"),
}

# A style is one or more names: an ink, and the appearance of the words.
LOOKS = {
    "head": f"font: 600 14px {SANS}",
    "words": f"font: 13px {SANS}",
    "note": f"font: 12px {SANS}",
    "code": f"font: 13px {MONO}",
    "name": f"font: 600 13px {MONO}",
    "gone": "text-decoration: line-through",
}
SIZES = {"head": 14, "words": 13, "note": 12, "code": 13, "name": 13}


def width_of(words, style):
    """Returns the maximum width of words, in pixels."""
    look = next(part for part in style.split() if part in SIZES)
    size, bold = SIZES[look], look == "head"
    if look in ("code", "name"):
        return sum(1 if ord(letter) > 0x2E7F else 0.61 for letter in words) * size
    total = 0.0
    for letter in words:
        if ord(letter) > 0x2E7F:
            total += 1
        elif letter in "iljftrI.,;:'|!()[] ":
            total += 0.39
        elif letter in "mwMW@%—→…":
            total += 0.96
        else:
            total += 0.69 if letter.isupper() else 0.61
    return total * size * (1.08 if bold else 1)


class Picture:
    """An SVG under construction, in one language."""

    def __init__(self, language, title, width=WIDTH):
        self.language, self.width = language, width
        self.title = self.say(title)
        self.shapes, self.used = [], set()

    def say(self, words):
        """Returns the words of the language if they are a pair. Returns other words unchanged."""
        return words[self.language] if isinstance(words, tuple) else words

    def _classes(self, kind, style):
        names = [f"{kind}-{part}" if part not in LOOKS else part for part in style.split()]
        self.used.update(names)
        return " ".join(names)

    # Words

    def words(self, x, y, words, style="words ink", fit=None, anchor="start", code="code ink"):
        """Draws a line of words, with text in backticks as code."""
        words = self.say(words)
        runs = [(code if index % 2 else style, part) for index, part in enumerate(words.split("`")) if part]
        return self.runs(x, y, runs, fit, anchor)

    def runs(self, x, y, runs, fit=None, anchor="start"):
        """Draws a line of words in several styles, given as pairs of style and words. Returns its maximum width."""
        wide = sum(width_of(words, style) for style, words in runs)
        if fit is not None and wide > fit:
            raise SystemExit(f"{wide:.0f} of {fit:.0f} pixels ({LANGUAGES[self.language]}): {''.join(words for _, words in runs)}")
        style = runs[0][0]
        spans = [
            escape(words, quote=False) if part == style else f'<tspan class="{self._classes("ink", part)}">{escape(words, quote=False)}</tspan>'
            for part, words in runs
        ]
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.shapes.append(f'<text class="{self._classes("ink", style)}" x="{x:g}" y="{y:g}"{where}>{"".join(spans)}</text>')
        return wide

    def chip(self, x, y, words, hue, height=22, style="code", outlined=False):
        """Draws words in a box. x is its left edge, y its middle. Returns the width of the box."""
        wide = width_of(words, style) + 14
        self.box(x, y - height / 2, wide, height, hue, outlined and hue, radius=height / 2)
        self.words(x + wide / 2, y + 4.5, words, f"{style} {hue if hue in INKS else 'ink'}", anchor="middle")
        return wide

    # Shapes

    def box(self, x, y, wide, high, tint, line=None, radius=8):
        names = self._classes("tint", tint) + (" " + self._classes("line", line) if line else "")
        self.shapes.append(f'<rect class="{names}" x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" rx="{radius:g}"/>')

    def bar(self, x, y, wide, high, hue):
        self.shapes.append(f'<rect class="{self._classes("bar", hue)}" x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" rx="2"/>')

    def path(self, d, line="strong", thick=1.5, dashed=False):
        dashes = ' stroke-dasharray="4 4"' if dashed else ""
        self.shapes.append(f'<path class="{self._classes("line", line)}" fill="none" stroke-width="{thick:g}"{dashes} d="{d}"/>')

    def arrow(self, x, y, to, line="strong", thick=1.5):
        """Draws a vertical arrow."""
        turn = 5 if to > y else -5
        self.path(f"M{x:g} {y:g}V{to:g}M{x - 4:g} {to - turn:g}L{x:g} {to:g}L{x + 4:g} {to - turn:g}", line, thick)

    # The whole

    def _rules(self):
        light, dark = [], []
        for name in sorted(self.used):
            if name in LOOKS:
                light.append(f".{name} {{ {LOOKS[name]} }}")
                continue
            kind, hue = name.split("-")
            colours, property = {"ink": (INKS, "fill"), "tint": (TINTS, "fill"), "line": (LINES, "stroke"), "bar": (LINES, "fill")}[kind]
            light.append(f".{name} {{ {property}: {colours[hue][0]} }}")
            dark.append(f".{name} {{ {property}: {colours[hue][1]} }}")
        return "\n".join([*light, "@media (prefers-color-scheme: dark) {", *dark, "}"])

    def svg(self, height):
        shapes, self.shapes = self.shapes, []
        self.box(0.5, 0.5, self.width - 1, height - 1, "page", "soft", radius=10)
        title = escape(re.sub("`", "", self.title))
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height:g}" viewBox="0 0 {self.width} {height:g}" '
            f'lang="{LANGUAGES[self.language]}" role="img" aria-label="{title}">',
            "<style>", self._rules(), "</style>", *self.shapes, *shapes, "</svg>", "",
        ])
