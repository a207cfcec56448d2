"""The life of a call: down through the stages, and back with the response."""
from .canvas import MARGIN, Picture, WIDTH, width_of

TITLE = ("The life of a call, through its stages and back", "一次调用的过程：经过各个阶段，再带着响应返回")

# The steps before and after the stages: the name, the description, and the events.
BEGINNING = [
    (("begin", "开始"), ("`deadline` starts; `before { }` runs", "`deadline` 开始计时；运行 `before { }`"), []),
    (("prepare", "准备"), ("host, common closures, body", "主机、公共闭包、请求体"), ["started"]),
]
END = [
    (("end", "结束"), ("error handlers", "错误处理闭包"), ["finished"]),
    (("decode", "解码"), ("the payload, to its type", "把载荷解码为它的类型"), []),
]

# The stages by their interceptor names. Stages of an attempt or of a sending are nested.
CALL = [
    ("cache", ("joins an identical active call, or uses a cached response", "合并到相同的进行中的调用，或使用缓存的响应"), []),
    ("limits", ("circuit breaker, rate, concurrency", "熔断器、速率、并发"), []),
    ("retry", ("decides after each attempt; hedging", "每次尝试之后决定是否重试；对冲"), ["retrying"]),
]
ATTEMPT = [("authentication", ("adds the credential", "加上凭证"), [])]
SENDING = [
    ("signing", ("signs the request as it is now", "为此时的请求签名"), []),
    ("transport", ("sends, follows redirects, reads the envelope", "发送，跟随重定向，读取信封"), ["attempt", "answered", "failed"]),
]

START = ("`start`: interceptors can run from here on", "`start`：从这里开始可以有拦截器")
EACH_ATTEMPT = (("each attempt", "每次尝试"), ("from the second on, the common closures run again", "从第二次起，公共闭包重新运行"))
EACH_SENDING = (("each time it is sent", "每次发送"), ("once more after the credential was refreshed", "刷新凭证之后再发送一次"))
SERVER = ("server", "服务器")
LEGEND = [
    ("cache", ("position for interceptors: `.before(.cache)`", "拦截器的位置：`.before(.cache)`")),
    ("started", ("event for observers", "观察者收到的事件")),
]

ROW, GAP, HEAD, INSET, FOOT = 40, 16, 36, 12, 14
DOWN, UP = MARGIN + 42, WIDTH - MARGIN - 54
MIDDLE = 452


class Way:
    """Draws a call from above: the request goes down on the left, the response comes up on the right."""

    def __init__(self, language):
        self.picture = Picture(language, TITLE)
        self.y = MARGIN

    def arrows(self, high=GAP):
        self.picture.arrow(DOWN, self.y + 1, self.y + high - 1)
        self.picture.arrow(UP, self.y + high - 1, self.y + 1)
        self.y += high

    def stage(self, name, does, events, x=MARGIN, wide=WIDTH - 2 * MARGIN, column=MARGIN + 156, style="name ink"):
        picture, middle = self.picture, self.y + ROW / 2
        picture.box(x, self.y, wide, ROW, "page", "strong")
        picture.words(x + 16, middle + 5, name, style, fit=column - x - 20)
        right = x + wide - 12
        for event in reversed(events):
            right -= width_of(event, "code") + 14
            picture.chip(right, middle, event, "violet")
            right -= 8
        picture.words(column, middle + 5, does, fit=right - column)

    def frame(self, words, hue, inset, high):
        """Draws a frame around stages that may run several times. The stages are drawn afterwards."""
        picture = self.picture
        picture.box(MARGIN + inset, self.y, WIDTH - 2 * (MARGIN + inset), high, hue, hue)
        name, note = words
        x = MARGIN + 156
        x += picture.words(x, self.y + 23, picture.say(name), f"head {hue}") + 12
        picture.words(x, self.y + 23, note, "note ink", fit=UP - 12 - x)
        self.arrows(HEAD)

    def stages(self, rows, inset):
        for index, row in enumerate(rows):
            if index:
                self.arrows()
            self.stage(*row, x=MARGIN + inset, wide=WIDTH - 2 * (MARGIN + inset))
            self.y += ROW


def height_of(rows):
    return len(rows) * ROW + (len(rows) - 1) * GAP


def draw(language):
    way = Way(language)
    picture = way.picture

    # The two ends of the call, side by side.
    picture.chip(MARGIN, way.y + 14, "execute()", "green", height=28, style="name")
    right = WIDTH - MARGIN
    for name, hue in (("catch", "red"), ("then", "green")):
        right -= width_of(name, "name") + 14
        picture.chip(right, way.y + 14, name, hue, height=28, style="name")
        right -= 8
    way.y += 28
    for first, last in zip(BEGINNING, END):
        way.arrows()
        way.stage(*first, wide=MIDDLE - 12 - MARGIN, column=MARGIN + 92, style="head ink")
        way.stage(*last, x=MIDDLE, wide=WIDTH - MARGIN - MIDDLE, column=MIDDLE + 92, style="head ink")
        way.y += ROW
    picture.path(f"M{DOWN + 20} {way.y + 18}H{WIDTH / 2 - 150}M{WIDTH / 2 + 150} {way.y + 18}H{UP - 20}", dashed=True)
    picture.words(WIDTH / 2, way.y + 23, START, "note ink", fit=290, anchor="middle", code="name ink")
    way.arrows(36)

    way.stages(CALL, 0)
    way.arrows()
    sending = HEAD + height_of(SENDING) + FOOT
    bottom = way.y + HEAD + height_of(ATTEMPT) + GAP + sending + FOOT
    way.frame(EACH_ATTEMPT, "blue", 0, bottom - way.y)
    way.stages(ATTEMPT, INSET)
    way.arrows()
    way.frame(EACH_SENDING, "amber", INSET, sending)
    way.stages(SENDING, 2 * INSET)
    way.y = bottom
    down = way.y - 2 * FOOT
    picture.path(f"M{DOWN} {down + 1}V{way.y + 32}H{WIDTH / 2 - 50}m-5 -4l5 4l-5 4")
    picture.path(f"M{WIDTH / 2 + 50} {way.y + 32}H{UP}V{down + 1}m-4 5l4 -5l4 5")
    picture.box(WIDTH / 2 - 46, way.y + 16, 92, 32, "soft", "strong", radius=16)
    picture.words(WIDTH / 2, way.y + 37, SERVER, "words ink", anchor="middle")

    # The legend.
    way.y += 48 + 22
    picture.path(f"M{MARGIN} {way.y}H{WIDTH - MARGIN}", "soft", 1)
    way.y += 24
    name, event = LEGEND
    x = MARGIN + 16
    x += picture.words(x, way.y + 5, name[0], "name ink") + 10
    picture.words(x, way.y + 5, name[1], "note ink", code="code ink")
    x = MIDDLE + 16
    x += picture.chip(x, way.y, event[0], "violet") + 10
    picture.words(x, way.y + 5, event[1], "note ink")
    return picture.svg(way.y + 30)
