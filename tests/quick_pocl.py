#!/usr/bin/env python3
"""Makes a copy of PoCL in a folder that compiles small programs more than twice as fast, for the check.

    quick_pocl.py FOLDER SOURCE...

PoCL parses 14000 declarations of OpenCL's functions (opencl-c.h) for each program, and links each kernel with ld. The
copy's header lacks the functions that no file of the source folders names, and the forms of the others for vectors that
the library's kernels do not have (WIDE); `ld` is gold. A kernel that calls one of them does not compile: "no matching
function for call". The library, its devices and its own functions are the installed ones.
PoCL finds its files from where its library lies, so links to them are enough.

Prints the folder for OCL_ICD_VENDORS, or why there is none.
"""
import pathlib
import re
import shutil
import sys


def find_pocl():
    for library in sorted(pathlib.Path("/usr/lib").glob("*/libpocl.so.2.*")):
        share = library.parent.parent.parent / "share/pocl"
        if (share / "include/opencl-c.h").is_file() and (library.parent / "pocl").is_dir():
            return library, share
    return None


def words_of(folders):
    words = set()
    for folder in folders:
        for file in pathlib.Path(folder).rglob("*"):
            if file.suffix in (".cpp", ".hpp", ".inc", ".kernel", ".py", ".txt", ".cl", ".in", ".tsv", ".golden"):
                words.update(re.findall(r"[A-Za-z_]\w*", file.read_text(errors="ignore")))
    return words


# Texts put these names together.
COMPOSED = re.compile(r"(vload|vstore)\d+|atom(ic)?_[a-z]+|convert_[a-z]+16")
# The library has no vectors of OpenCL's in its kernels, but where a function of one element is called as the one of a
# full register (wide_vector.cpp), and in the coordinates and texels of images.
WIDE = {"float16", "double8", "double16"}


def is_needed(line, words):
    declaration = re.match(r"[\w ]+__ovld[\w ]*?\b(\w+)\s*\(.*\);\s*$", line)
    if not declaration:
        return True
    name = declaration.group(1)
    if name not in words and not COMPOSED.fullmatch(name):
        return False
    if not words.issuperset(re.findall(r"\b(?:image|atomic_|event)\w*_t\b", line)):
        return False
    vectors = set(re.findall(r"\b(?:u?char|u?short|u?int|u?long|half|float|double)\d+\b", line))
    return vectors <= WIDE or re.match(r"(read|write)_image", name)


def main():
    folder, sources = pathlib.Path(sys.argv[1]), sys.argv[2:]
    found = find_pocl()
    if not found:
        sys.exit("no PoCL whose files lie where they are known")
    library, share = found
    shutil.rmtree(folder, ignore_errors=True)
    place = folder / "lib" / library.parent.name
    (folder / "share/pocl").mkdir(parents=True)
    place.mkdir(parents=True)
    shutil.copy(library, place)
    (place / "pocl").symlink_to(library.parent / "pocl")
    for file in share.glob("*.bc"):
        (folder / "share/pocl" / file.name).symlink_to(file)
    include = folder / "share/pocl/include"
    shutil.copytree(share / "include", include)
    words = words_of(sources)
    lines = (share / "include/opencl-c.h").read_text().splitlines()
    (include / "opencl-c.h").write_text("\n".join(line for line in lines if is_needed(line, words)) + "\n")
    (folder / "bin").mkdir()
    gold = shutil.which("ld.gold")
    if gold:
        (folder / "bin/ld").symlink_to(gold)
    (folder / "vendors").mkdir()
    (folder / "vendors/pocl.icd").write_text(f"{place / library.name}\n")
    print(folder / "vendors", end="")


if __name__ == "__main__":
    main()
