"""Shows which host, param and header is sent: the one of the strongest level that has it."""
from .canvas import MARGIN, Picture, WIDTH

TITLE = ("Which host, params and headers are sent", "最终发送的是哪个主机、哪些参数和请求头")

COLUMNS = [("host", "主机"), ("params", "参数"), ("headers", "请求头")]

# From the strongest: the name of a level, its setting, and its host, params and headers, or `None` if the level never has any.
LEVELS = [
    (("the call", "调用"), ".params() .header()", [], [("v", "4"), ("page", "1")], [("X-Client", "beta")]),
    (("the credential", "凭证"), "forum.authentication", None, None, [("Authorization", "Bearer …")]),
    (("common closures", "公共闭包"), "commonParams/Headers", None, [("v", "3")], [("X-Client", "ios")]),
    (("host override", "主机覆盖"), "overrideHost(of:with:)", [], None, None),
    (("the tag", "标签"), "configure(.forum)", [("", "forum.example.com/api")], [("v", "2")], [("Accept", "application/json")]),
    (("the defaults", "默认配置"), "configureDefaults", [("", "api.example.com")], [("lang", "en"), ("v", "1")],
     [("X-Client", "web")]),
    (("the library", "库自带的"), "", None, None, [("Accept", "*/*"), ("User-Agent", "Catena")]),
]
NOTE = (
    "A profile that is set for an environment, with `in: .staging`, overrides the same profile without one.",
    "为某个环境设置的配置（`in: .staging`）优先于不分环境的同一配置。",
)
STRONGEST = ("strongest first", "由强到弱")
SENT = [
    "GET https://forum.example.com/api/users?lang=en&v=4&page=1",
    "Accept: application/json · User-Agent: Catena · X-Client: beta · Authorization: Bearer …",
]

LABEL, XS = MARGIN + 30, (252, 448, 570, WIDTH - MARGIN)
LINE, PAD, HEAD = 26, 9, 34


def draw(language):
    picture = Picture(language, TITLE)
    y = MARGIN
    picture.words(LABEL + 14, y + 18, STRONGEST, "note soft")
    for x, name in zip(XS, COLUMNS):
        picture.words(x + 10, y + 18, name, "head ink")
    y += HEAD
    top, given = y, set()
    for name, how, *cells in LEVELS:
        lines = max(2, *(len(cell or []) for cell in cells))
        high = lines * LINE + 2 * PAD - 8
        picture.box(LABEL, y, WIDTH - MARGIN - LABEL, high, "soft")
        middle = y + high / 2
        picture.words(LABEL + 14, middle - 4 if how else middle + 5, name, "head ink", fit=XS[0] - LABEL - 14)
        if how:
            picture.words(LABEL + 14, middle + 15, how, "code soft", fit=XS[0] - LABEL - 14)
        for x, end, cell in zip(XS, XS[1:], cells):
            if not cell:
                if cell is not None:
                    picture.words(x + 10, middle + 5, "–", "words soft")
                continue
            at = middle - (len(cell) - 1) * LINE / 2
            for key, value in cell:
                words = f"{key} = {value}" if x == XS[1] else f"{key}: {value}" if key else value
                # The strongest of those with the same name.
                if (x, key) not in given:
                    given.add((x, key))
                    picture.chip(x + 3, at, words, "green", outlined=True)
                else:
                    picture.words(x + 10, at + 4.5, words, "code soft gone", fit=end - x - 12)
                at += LINE
        y += high + 6
    picture.path(f"M{MARGIN + 8} {y - 8}V{top + 2}m-5 6l5 -6l5 6", "strong")
    picture.words(LABEL, y + 16, NOTE, "note soft", code="code soft")
    y += 34
    high = len(SENT) * 24 + 16
    picture.box(LABEL, y, WIDTH - MARGIN - LABEL, high, "green", "green")
    for line in SENT:
        y += 24
        picture.words(LABEL + 14, y + 1, line, "code ink", fit=WIDTH - MARGIN - LABEL - 28)
    return picture.svg(y + 16 + MARGIN)
