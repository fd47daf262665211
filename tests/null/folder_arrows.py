#!/usr/bin/env python3
"""Each room's src/ is divided into folders. docs/architecture.md draws which folder includes from which: this test reads the
includes and fails where an arrow is missing from the drawing, where a drawn arrow has no include left, or in a circle. It also
fails for files of code of more than 400 lines, and for test files of more than 650: a test file is a list of cases of one subject.

    folder_arrows.py <root of the sources>

A line of the drawing: `core/device -> base compile language`. Where a room sees another's private headers, an arrow names that
room: `algorithms/sort -> arrays/generated`. A public header counts for the folder that holds the source of its name, or
whose name its own folder has (solve/cg.hpp); any other counts for none.
"""
import pathlib
import re
import sys

ROOMS = ("core", "codegen", "arrays", "algorithms")
CODE = (".cpp", ".hpp", ".c", ".cu", ".inc", ".kernel", ".py", ".cmake", ".in")
DATA = ("sobol_numbers.inc",)  # tables
SEES = {"algorithms": "arrays"}  # a room -> the room whose private headers it may include


def drawn_arrows(page):
    drawing = re.search(r"<!-- begin arrows -->(.*?)<!-- end arrows -->", page, re.S)
    if not drawing:
        sys.exit("FAILED: docs/architecture.md has no drawing between <!-- begin arrows --> and <!-- end arrows -->")
    arrows = {}
    for line in re.findall(r"^(\w+/\w+)(?: -> ([\w /]+))?$", drawing[1], re.M):
        arrows[line[0]] = set(line[1].split())
    return arrows


def included_arrows(root, room):
    """(from, to) -> one include that makes the arrow."""
    source = root / room / "src"
    folder_of = {file.stem: file.parent.name for file in source.glob("*/*.cpp")}
    files = [(file, file.parent.name) for file in source.glob("*/*") if file.suffix in (".cpp", ".hpp")]
    public = root / room / "include/gemel" / room
    headers = [(file, folder_of.get(file.stem, file.parent.name)) for file in public.rglob("*.hpp")]
    files += [(file, folder) for file, folder in headers if (source / folder).is_dir()]
    others = root / SEES[room] / "src" if room in SEES else None
    arrows = {}
    for file, folder in files:
        for line in file.read_text().splitlines():
            private = re.match(r'#include "(\w+)/', line)
            header = re.match(rf"#include <gemel/{room}/(?:(\w+)/)?(\w+)\.hpp>", line)
            to = private[1] if private else header and folder_of.get(header[2], header[1])
            if private and others and not (source / to).is_dir() and (others / to).is_dir():
                to = f"{SEES[room]}/{to}"
            if to and to != folder:
                arrows.setdefault((folder, to), f"{file.relative_to(root)}: {line}")
    return {file.parent.name for file in source.glob("*/*.cpp")}, arrows


def circle(arrows):
    """Folders that reach themselves."""
    reach = {start: set(ends) for start, ends in arrows.items()}
    for _ in reach:
        for ends in reach.values():
            for end in list(ends):
                ends |= reach.get(end, set())
    return sorted(folder for folder, ends in reach.items() if folder in ends)


def main():
    root = pathlib.Path(sys.argv[1])
    drawn = drawn_arrows((root / "docs/architecture.md").read_text())
    complaints, count = [], 0
    for room in ROOMS:
        folders, arrows = included_arrows(root, room)
        count += len(arrows)
        stray = sorted(file.name for file in (root / room / "src").iterdir() if file.suffix in (".cpp", ".hpp"))
        complaints += [f"{room}/src/{name} lies in no folder" for name in stray]
        for folder in sorted(folders):
            if f"{room}/{folder}" not in drawn:
                complaints.append(f"the folder {room}/{folder} is not drawn")
        for (start, end), include in sorted(arrows.items()):
            if end not in drawn.get(f"{room}/{start}", set()):
                complaints.append(f"{room}: {start} -> {end} is not drawn ({include})")
        for name in sorted({path.name for path in (root / room / "src").iterdir() if path.is_dir()}):
            if room in SEES and (root / SEES[room] / "src" / name).is_dir():
                complaints.append(f"{room}/src/{name} has the name of a folder of {SEES[room]}, whose headers it would hide")
        for start in folders:
            for end in sorted(drawn.get(f"{room}/{start}", set()) - {to for begin, to in arrows if begin == start}):
                complaints.append(f"{room}: {start} -> {end} is drawn, but no file includes it: remove it")
        graph = {folder: {end for start, end in arrows if start == folder} for folder in folders}
        complaints += [f"{room}: {folder} includes itself by a circle" for folder in circle(graph)]
    for folder, limit in [*((room, 400) for room in (*ROOMS, "backends", "tools", "bench", "examples", "scripts", "cmake")), ("tests", 650)]:
        for file in (root / folder).rglob("*"):
            is_code = file.is_file() and (file.suffix in CODE or folder == "scripts") and "golden" not in file.parts
            lines = file.read_text().count("\n") if is_code and file.name not in DATA else 0
            if lines > limit:
                complaints.append(f"{file.relative_to(root)} has {lines} lines, more than {limit}: divide it by subject")
    for complaint in complaints:
        print("FAILED:", complaint)
    if count < 20:
        sys.exit(f"FAILED: only {count} arrows were found")
    print(f"{count} arrows")
    sys.exit(bool(complaints))


main()
