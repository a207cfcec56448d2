"""Responses of five backends, and what Catena reads in them."""
from .canvas import MARGIN, Picture, WIDTH, width_of

TITLE = ("The envelopes of five backends, and what Catena reads in them", "五个后端的信封，以及 Catena 从中读到的内容")

CODE, FLAG, MESSAGE, PAYLOAD = ("code", "业务码"), ("flag", "标志"), ("message", "消息"), ("payload", "载荷")

# For each response: its status, its body, the code, the message and the payload, and the configuration. A part of a body between bars begins with its kind: c
# for a code or a flag, m for a message, p for a payload.
BACKENDS = [
    ("200", ["{", '  |c"errcode": 0|,', '  |m"errmsg": "ok"|,', '  |p"data": {"name": "Ann"}|', "}"], (CODE, "0"), "ok", '{"name": "Ann"}', []),
    ("200", ["{", '  |c"success": true|,', '  |m"message": null|,', '  |p"data": {"name": "Ann"}|', "}"], (FLAG, "true"), "", '{"name": "Ann"}', []),
    ("200", ["{", '  |c"result": {"code": "OK"}|,', '  |p"payload": {"name": "Ann"}|', "}"], (CODE, "OK"), "", '{"name": "Ann"}',
     ['.codes("result.code")', '.data("payload")']),
    ("200", ["{", '  |c"code": 10086|,', '  |m"msg": "Room closed"|,', '  |p"data": null|', "}"], (CODE, "10086"), "Room closed", "", []),
    ("429", ["{", '  "error": {', '    |c"code": "rate_limited"|,', '    |m"message": "Slow down"|', "  }", "}"],
     (CODE, "rate_limited"), "Slow down", "", []),
]
HUES = {"c": "violet", "m": "amber", "p": "green"}

LEGEND = ("One pass over the body finds", "只扫描一遍响应体，找到")
ROLES = [("c", ("code or flag", "业务码或标志")), ("m", MESSAGE), ("p", PAYLOAD)]
OUTCOMES = [
    ("then", "green", ("receives the payload", "得到载荷")),
    ("catch", "red", ("receives an `APIError`", "得到 `APIError`")),
    (".codes", "blue", ("for keys of its own", "用于后端特有的键")),
]

COLUMNS, GAP, PAD = 3, 14, 12
CARD = (WIDTH - 2 * MARGIN - (COLUMNS - 1) * GAP) / COLUMNS
LINE, ROW, HEAD = 19, 22, 40
BODY = HEAD + 6 * LINE
HIGH = BODY + 12 + 3 * ROW + 12


def card(picture, x, y, status, body, code, message, payload, steps):
    outcome, hue = ("then", "green") if payload else ("catch", "red")
    picture.box(x, y, CARD, HIGH, "soft")
    picture.words(x + PAD, y + 24, f"HTTP {status}", "head ink")
    picture.chip(x + CARD - PAD - width_of(outcome, "name") - 14, y + 19, outcome, hue, style="name")
    at = y + HEAD + 14
    for line in body:
        text = line.lstrip()
        indent = 7.8 * (len(line) - len(text))
        pieces = enumerate(text.split("|"))
        runs = [(f"code {HUES[piece[0]]}", piece[1:]) if index % 2 else ("code soft", piece) for index, piece in pieces if piece]
        picture.runs(x + PAD + indent, at, runs, fit=CARD - 2 * PAD - indent)
        at += LINE
    for step in steps:
        picture.words(x + PAD, at + 3, step, "code blue", fit=CARD - 2 * PAD)
        at += LINE
    y += BODY + 10
    picture.path(f"M{x + PAD} {y}H{x + CARD - PAD}", "soft", 1)
    name, value = code
    for role, name, value in (("c", name, value), ("m", MESSAGE, message), ("p", PAYLOAD, payload)):
        y += ROW
        picture.words(x + PAD, y, name, "note soft")
        picture.words(x + PAD + 68, y, value or "–", f"code {HUES[role] if value else 'soft'}", fit=CARD - 2 * PAD - 68)


def legend(picture, x, y):
    picture.words(x + PAD, y + 24, LEGEND, "words ink", fit=CARD - PAD)
    y += 52
    for role, name in ROLES:
        picture.chip(x + PAD, y, picture.say(name), HUES[role], style="words", outlined=True)
        y += 30
    y += 10
    for name, hue, words in OUTCOMES:
        picture.chip(x + PAD, y, name, hue, style="name")
        picture.words(x + PAD + 72, y + 5, words, fit=CARD - PAD - 72)
        y += 32


def draw(language):
    picture = Picture(language, TITLE)
    places = [(MARGIN + column * (CARD + GAP), MARGIN + row * (HIGH + GAP)) for row in (0, 1) for column in range(COLUMNS)]
    for place, backend in zip(places, BACKENDS):
        card(picture, *place, *backend)
    legend(picture, *places[-1])
    return picture.svg(2 * MARGIN + 2 * HIGH + GAP)
