"""The sentence and its parts: where, what, with, execute, then."""
from .canvas import MARGIN, Picture, WIDTH

TITLE = ("A call and its parts", "一次调用的各个部分")

# For each part: its name, its hue, and its lines of code with their descriptions.
CARDS = [
    (("`Request`: a value; each step returns a copy, and nothing is sent", "`Request`：是值；每一步都返回副本，什么都不发送"), [
        (("where", "去哪里"), "blue", [
            ("API.tag(.forum)", ("the backend and all that its calls share", "后端，以及它的各个调用共有的一切")),
            ('   .path("/v1/rooms/{room}/users")', ("appended to the host's own path", "接在主机自带的路径之后")),
        ]),
        (("what", "做什么"), "violet", [
            ("   .method(.get)", ("`.get(\"/…\")` sets method and path", "`.get(\"/…\")` 同时设置方法和路径")),
        ]),
        (("with", "带什么"), "amber", [
            ('   .params(["room": room, "page": 1])', ("`room` fills the path, `page` the query", "`room` 填入路径，`page` 进入查询参数")),
            ("   .timeout(.seconds(10))", ("overrides the setting of the tag", "优先于标签的设置")),
        ]),
    ]),
    (("the call: sent; the response is unwrapped and decoded", "调用：发送请求，拆开响应的信封并解码"), [
        (("execute", "执行"), "red", [
            ("   .execute(as: [User].self)", ("the only step that sends anything", "只有这一步会发送")),
        ]),
    ]),
    (("`Promise`: the result", "`Promise`：结果"), [
        (("then", "然后"), "green", [
            ("   .then { users in show(users) }", ("the payload, on the main actor", "得到载荷，在主 actor 上运行")),
            ("   .catch { error in alert(error.message) }", ("any failure: an `APIError`", "任何失败：`APIError`")),
            ("   .finally { spinner.stop() }", ("always, also after a cancellation", "总会运行，取消之后也是")),
        ]),
    ]),
]

ROW, HEAD, PAD, GAP = 28, 36, 14, 12
NAME, CODE, NOTE = MARGIN + 16, MARGIN + 108, 500


def draw(language):
    picture = Picture(language, TITLE)
    y = MARGIN
    for caption, parts in CARDS:
        high = HEAD + ROW * sum(len(lines) for _, _, lines in parts) + PAD
        picture.box(MARGIN, y, WIDTH - 2 * MARGIN, high, "soft")
        picture.words(NAME, y + 23, caption, "note soft", fit=WIDTH - 2 * NAME, code="code soft")
        y += HEAD
        for name, hue, lines in parts:
            picture.bar(CODE - 20, y + 3, 4, ROW * len(lines) - 6, hue)
            picture.words(NAME, y + ROW * len(lines) / 2 + 5, name, f"head {hue}", fit=CODE - 24 - NAME)
            for code, note in lines:
                indent = len(code) - len(code.lstrip())
                picture.words(CODE + indent * 7.8, y + 19, code.lstrip(), f"code {hue}", fit=NOTE - 8 - CODE - indent * 7.8)
                picture.words(NOTE, y + 19, note, "words ink", fit=WIDTH - MARGIN - 12 - NOTE)
                y += ROW
        y += PAD + GAP
    return picture.svg(y - GAP + MARGIN)
