#!/usr/bin/env python3
"""Checks that links in the documentation lead to files and headings that exist, and that lists of a document's own headings are complete.

    links.py PROJECT"""
import pathlib
import re
import sys


def without_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def anchor(heading):
    """As GitHub makes them."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors(path):
    headings = re.findall(r"^#+ (.*)$", without_code(path.read_text()), re.M)
    return [anchor(re.sub(r"\]\([^)]*\)", "", heading)) for heading in headings]


def main():
    project = pathlib.Path(sys.argv[1])
    known, failures = {}, []
    pages = [*project.glob("*.md"), *project.glob("docs/**/*.md"), *project.glob("examples/**/*.md")]
    for page in pages:
        text = without_code(page.read_text())
        links = re.findall(r"\]\(([^()\s]+)\)", re.sub(r"`[^`\n]*`(?!\])", "", text))
        for link in links:
            if re.match(r"[a-z]+:", link):
                continue
            name, _, place = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            if not target.exists():
                failures.append(f"{page.relative_to(project)}: ({link}): there is no {target}")
            elif place and place not in known.setdefault(target, anchors(target)):
                failures.append(f"{page.relative_to(project)}: ({link}): there is no such heading")
        own = [link[1:] for link in links if link.startswith("#")]
        if text.splitlines()[1:] and re.search(r"\A# [^\n]*\n(?:(?!##).*\n)*?- \[", text) and len(own) > 20:
            missing = [place for place in anchors(page)[1:] if place not in own]
            failures += [f"{page.relative_to(project)}: its contents lack #{place}" for place in missing]
    print("\n".join(failures) or f"{len(pages)} pages, all links lead somewhere")
    sys.exit(bool(failures) or not pages)


main()
