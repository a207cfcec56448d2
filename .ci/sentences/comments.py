"""Finds the comments of a source file. A comment is a list of lines: pairs of a number and the text behind the marker."""
import io
import re
import tokenize

DIRECTIVE = re.compile(r"!|swift-tools-version|swift-format-ignore|shellcheck |MARK:|-\*-")


def joined(pieces):
    """Joins comments on consecutive lines. A piece is (line, column, marker, text, whether nothing precedes it)."""
    comments, previous = [], None
    for line, column, marker, text, alone in pieces:
        if DIRECTIVE.match(text.lstrip()):
            previous = None
            continue
        if alone and previous == (line - 1, column, marker):
            comments[-1].append((line, text))
        else:
            comments.append([(line, text)])
        previous = (line, column, marker) if alone else None
    return comments


# Comments, and the places where two slashes do not begin a comment.
CODE = re.compile(
    r"""(?P<comment>//[^\n]*)|(?P<block>/\*)|(?P<string>\#*(?:\"""|"))|(?P<regex>\#+/)|(?P<plain>(?<=[(\[])/(?![ /*\n])|(?<=[=,:(?] )/(?![ /*\n]))"""
    r"""|(?P<character>'(?:\\.|[^'\\\n])+')|(?P<parenthesis>[()])"""
)


def of_slashes(source):
    """Returns the comments of Swift and C."""
    pieces = []

    def place(position):
        begin = source.rfind("\n", 0, position) + 1
        return source.count("\n", 0, position) + 1, position - begin, not source[begin:position].strip()

    def skip_string(position, quotes):
        hashes = quotes.count("#")
        several = quotes.endswith('"""')
        end = quotes[hashes:] + "#" * hashes
        pattern = re.compile(r"(?P<end>%s)|\\%s(?P<escaped>[\s\S])%s" % (re.escape(end), "#" * hashes, "" if several else r"|(?P<line>\n)"))
        while True:
            match = pattern.search(source, position)
            if not match:
                return len(source)
            position = match.end()
            if match["escaped"] == "(":
                position = skip_code(position, nested=True)
            elif not match["escaped"]:
                return position

    def skip_code(position, nested):
        depth = 1
        while True:
            match = CODE.search(source, position)
            if not match:
                return len(source)
            position = match.end()
            if match["comment"]:
                marker = re.match("/+", match[0])[0]
                line, column, alone = place(match.start())
                pieces.append((line, column, marker, match[0][len(marker):].replace(" ", "", 1), alone))
            elif match["block"]:
                position = block(match.start())
            elif match["string"]:
                position = skip_string(position, match["string"])
            elif match["regex"] or match["plain"]:
                end = "/" + "#" * len((match["regex"] or "/")[:-1])
                literal = re.compile(r"(?:\\.|[^\\\n])*?" + end).match(source, position)
                position = literal.end() if literal else position
            elif nested and match["parenthesis"]:
                depth += 1 if match[0] == "(" else -1
                if depth == 0:
                    return position

    def block(start):
        depth, end = 0, len(source)
        for mark in re.compile(r"/\*|\*/").finditer(source, start):
            depth += 1 if mark[0] == "/*" else -1
            if depth == 0:
                end = mark.end()
                break
        line, column, alone = place(start)
        for offset, text in enumerate(source[start:end].split("\n")):
            text = re.sub(r"^\s*/?\*+/? ?|\*+/$", "", text)
            pieces.append((line + offset, column, "/*", text, alone or offset > 0))
        return end

    skip_code(0, nested=False)
    return joined(pieces)


def of_shell(source):
    pieces = []
    for number, line in enumerate(source.split("\n"), 1):
        match = re.match(r"(\s*)#(.*)", line) or re.match(r"""((?:[^"'#]|"[^"]*"|'[^']*'|(?<!\s)#)*\s)#(?=\s)(.*)""", line)
        if match:
            pieces.append((number, len(match[1]), "#", match[2].replace(" ", "", 1), not match[1].strip()))
    return joined(pieces)


def of_python(source):
    pieces, docstrings, begins = [], [], True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line, column = token.start
        if token.type == tokenize.COMMENT:
            pieces.append((line, column, "#", token.string[1:].replace(" ", "", 1), not token.line[:column].strip()))
        elif token.type == tokenize.STRING and begins:
            lines = re.sub(r"""^[A-Za-z]*("{3}|'{3}|"|')|("{3}|'{3}|"|')$""", "", token.string).split("\n")
            docstrings.append([(line + offset, text[column:] if offset else text) for offset, text in enumerate(lines)])
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return joined(pieces) + docstrings
