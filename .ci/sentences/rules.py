"""Splits Markdown into texts and texts into sentences, and finds what `.ci/prose` forbids in them."""
import collections
import re

LONGEST_SENTENCE = 30
RULES = ("headless", "word", "long", "glossary")

WORDS = {
    "nobody": 'name what is absent: "no caller", "no user is signed in"',
    "somebody": 'name the agent: "a caller", "another task"',
    "whoever": 'name the agent: "the caller that"',
    "at one blow": '"atomically"',
    "of no account": '"is ignored"',
    "counts for nothing": '"is ignored"',
    "goes on": '"continues"',
    "under way": '"in progress"',
    "is told": 'name the agent: "the loop notifies the caller", or "the caller receives"',
}
WORD = re.compile(r"\b(%s)\b" % "|".join(word.replace(" ", r"\s+") for word in WORDS), re.I)
HEADLESS = re.compile(r"""[\s*_"'“‘(\[]*(what|whose|who|of|where|that|those|the\s+same)\b""", re.I)
SENTENCE_END = re.compile(r"""[.!?]["'”’)\]*_]*(?=\s|$)""")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|vs|cf)\.$", re.I)

Hit = collections.namedtuple("Hit", "rule line text advice")


class Text:
    """A paragraph, list item, heading or cell. `begins` is true if the rule "headless" applies to its beginning."""

    def __init__(self, number, line, begins=False):
        self.lines = [(number, line.strip())]
        self.begins = begins

    def hits(self):
        whole, starts = "", []
        for number, line in self.lines:
            starts.append((len(whole), number))
            whole += line + " "
        prose = mask(whole)

        def hit(rule, start, end, advice):
            number = [number for position, number in starts if position <= start][-1]
            return Hit(rule, number, " ".join(whole[start:end].split()), advice)

        found = []
        start = 0
        for end in sentence_ends(prose):
            start += len(prose[start:end]) - len(prose[start:end].lstrip())
            count = sum(any(character.isalnum() for character in word) for word in prose[start:end].split())
            if count > LONGEST_SENTENCE:
                found.append(hit("long", start, end, f"{count} words, {LONGEST_SENTENCE} at most: end the sentence after its first idea"))
            for match in WORD.finditer(prose, start, end):
                word = " ".join(match[1].lower().split())
                found.append(hit("word", start, end, f'not "{word}": {WORDS[word]}'))
            start = end
        if self.begins:
            match = HEADLESS.match(prose)
            if match:
                end = next(sentence_ends(prose))
                found.append(hit("headless", 0, end, f'not "{match[1]}" first: begin with a verb (Returns, Stores) or a noun that names the thing'))
        return found


def mask(text):
    """Replaces each code span with one word, and the addresses of links and the tags of HTML with spaces. The length stays."""
    text = re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", lambda span: "X" * len(span[0]), text)
    text = re.sub(r"\]\((?:[^()]|\([^()]*\))*\)|</?[A-Za-z][^<>]*>|<!--.*?-->", lambda part: " " * len(part[0]), text)
    return text


def sentence_ends(prose):
    for match in SENTENCE_END.finditer(prose):
        if not ABBREVIATION.search(prose, 0, match.start() + 1):
            yield match.end()
    yield len(prose)


def texts(lines, in_comment):
    """Splits Markdown, which comments also are, into texts. An indented line of a comment is a text of its own, such as a line of usage."""
    found, current, fence, in_item, hidden = [], None, None, False, False
    for number, line in lines:
        bare = re.sub(r"^(> ?)+", "", line.strip())
        if hidden or (bare.startswith("<!--") and not fence):
            hidden = "-->" not in bare
            current = None
            continue
        mark = re.match(r"`{3,}|~{3,}", bare)
        if fence:
            if mark and bare == mark[0] and bare.startswith(fence):
                fence = None
            continue
        if mark and "`" not in bare[mark.end():]:
            fence, current = mark[0], None
            continue
        if not re.search(r"\w", bare):
            current = None
            continue
        indentation = len(line) - len(line.lstrip())
        item = re.match(r"(?:[-*+]|\d+[.)])\s+(.*)", bare)
        field = item and in_comment and re.match(r"(?:Parameter\s+)?[`\w]+:(?:\s+(.+))?$", item[1])
        if item:
            in_item = True
            current = Text(number, (field[1] or "") if field else item[1], begins=bool(field) or (in_comment and not found))
            found.append(current)
        elif bare.startswith("|"):
            current = None
            # A cell that lists links, each with names of tests, has a text for each link.
            found += [Text(number, cell) for cell in re.split(r"(?<!\\)\||;\s+(?=\[)", bare) if cell.strip()]
        elif re.match(r"#{1,6}\s", bare):
            current = None
            found.append(Text(number, bare.lstrip("#")))
        elif current:
            current.lines.append((number, bare))
        elif indentation >= (2 if in_comment else 4) and not in_item:
            if in_comment:
                found.append(Text(number, bare))
        else:
            in_item = in_item and indentation > 0
            current = Text(number, bare, begins=in_comment and not found)
            found.append(current)
    return found


def glossary_hits(lines):
    """Finds the rows of a table of terms and their meanings that are not in alphabetical order, or whose term has a row already."""
    found, terms, former = [], set(), None
    for number, line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[:2] == ["term", "meaning"]:
            terms, former = set(), ""
        elif not line.startswith("|"):
            former = None
        elif former is not None and re.search(r"\w", cells[0]):
            term = cells[0].casefold()
            if term in terms:
                found.append(Hit("glossary", number, cells[0], "the term has a row already: keep one meaning"))
            elif term < former:
                found.append(Hit("glossary", number, cells[0], f'sort the terms: this one comes before "{former}"'))
            terms.add(term)
            former = max(former, term)
    return found
