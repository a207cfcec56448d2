"""Decides how a file is read, and reads it."""
import os
import re
import sys
import tokenize

from . import comments
from .rules import glossary_hits, texts

READERS = {"slashes": comments.of_slashes, "shell": comments.of_shell, "python": comments.of_python}


def kind(path, source):
    """Returns the way to read a file, or None if the file has neither comments nor sentences to check."""
    suffix = os.path.splitext(path)[1]
    if suffix == ".md":
        return None if path.startswith("Docs/zh-Hans/") else "guide"
    if suffix in (".swift", ".c", ".h"):
        return "slashes"
    if suffix == ".py" or re.match(r"#!.*\bpython", source):
        return "python"
    if suffix == ".sh" or re.search(r"\A#!.*\b(ba)?sh$|^# shellcheck shell=", source, re.M):
        return "shell"
    return None


def hits_of_source(kind, source):
    found = []
    if kind == "guide":
        lines = list(enumerate(source.split("\n"), 1))
        blocks, found = texts(lines, in_comment=False), glossary_hits(lines)
    else:
        blocks = [text for comment in READERS[kind](source) for text in texts(comment, in_comment=True)]
    return sorted(found + [hit for text in blocks for hit in text.hits()], key=lambda hit: hit.line)


def hits_of_file(path, source):
    way = kind(path, source)
    try:
        return hits_of_source(way, source) if way else []
    except (tokenize.TokenError, SyntaxError) as error:
        sys.exit(f"{path}: cannot be read as Python: {error}")
