#!/usr/bin/env python3
"""Fails for functions of more than 60 lines. Lines of a table in a function (a list in braces without statements) are not counted.

    function_lengths.py <root of the sources>
"""
import pathlib
import re
import sys

FOLDERS = ("core", "codegen", "arrays", "algorithms", "backends", "tools", "bench", "examples", "tests")
NOT_HERE = "tests/api"  # programs as users write them, from the top of main() to its end
LIMIT = 60
# Text and comments: what stands in them is not code. Newlines stay, so that lines can be counted.
HIDDEN = re.compile(r'R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/'
                    r"|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b[^()]*$")


def blanked(text):
    # Digit separators (1'000) would be read as the beginning of a character.
    text = re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", "_", text)
    return HIDDEN.sub(lambda m: '""' + "\n" * m[0].count("\n"), text)


class Block:
    def __init__(self, head, line):
        self.head, self.line = head, line  # what stands before the brace, from the last ; { or }
        self.has_statements = False
        self.table_lines = 0


def functions(text):
    """(lines without tables, line, head) of each function that is in no other."""
    open_blocks, head, line = [], "", 1
    for c in blanked(text):
        line += c == "\n"
        if c == "{":
            open_blocks.append(Block(head.strip(), line))
        elif c == "}" and open_blocks:
            block = open_blocks.pop()
            lines = line - block.line + 1
            outer = [b for b in open_blocks if not SCOPE.search(b.head)]
            is_scope = SCOPE.search(block.head)
            if not outer and not is_scope and ")" in block.head and not block.head.endswith("="):
                yield lines - block.table_lines, block.line, block.head
            elif outer:
                outer[-1].table_lines += block.table_lines if block.has_statements or is_scope else lines - 1
        elif c == ";" and open_blocks:
            open_blocks[-1].has_statements = True
        if c in ";{}":
            head = ""
            if c == "}" and open_blocks:
                open_blocks[-1].has_statements |= block.has_statements
        else:
            head += c


def main():
    root, count, failed = pathlib.Path(sys.argv[1]), 0, False
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*.[ch]pp")):
            if file.is_relative_to(root / NOT_HERE):
                continue
            for lines, line, head in functions(file.read_text()):
                count += 1
                if lines > LIMIT:
                    failed = True
                    head = " ".join(head.replace('""', "").split())[-70:]
                    print(f"FAILED: {file.relative_to(root)}:{line}: a function of {lines} lines, more than {LIMIT}: {head}")
    if count < 5000:
        sys.exit(f"FAILED: only {count} functions were found")
    print(f"{count} functions")
    sys.exit(failed)


main()
