#!/usr/bin/env python3
"""Makes a copy of PoCL in a folder that compiles small programs more than twice as fast, for the check.

    quick_pocl.py FOLDER SOURCE...

PoCL parses 14000 declarations of OpenCL's functions (opencl-c.h) for each program, reads 10 MB of their bodies (*.bc) in
each process, and links each kernel with four libraries. The copy's header lacks the functions that no file of the source
folders names, and the forms of the others for vectors that the library's kernels do not have (WIDE). A kernel that calls
one of them does not compile: "no matching function for call". The bodies are those of the functions that the header has,
and the link is of the kernel alone. PoCL's own code is the installed one.
PoCL finds its files from where its library lies, so links to them are enough.

Prints the folder for OCL_ICD_VENDORS, or why there is none.
"""
import ctypes
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


def without_comments(text):
    """Nor empty lines, nor conditions around nothing."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    text = re.sub(r"\n\s*\n+", "\n", text)
    while True:
        shorter = re.sub(r"^#if[^\n]*(?<!\\)\n#endif[^\n]*\n", "", text, flags=re.M)
        if shorter == text:
            return text
        text = shorter


def cut_headers(include, words):
    header = include / "opencl-c.h"
    lines = header.read_text().splitlines()
    header.write_text(without_comments("\n".join(line for line in lines if is_needed(line, words)) + "\n"))
    named = set(re.findall(r"(\w+)\s*\(", header.read_text()))
    renames = include / "_builtin_renames.h"
    if renames.is_file():  # "#define sin _cl_sin"
        lines = renames.read_text().splitlines()
        renamed = [re.match(r"#define (\w+)\s+_cl_\1$", line) for line in lines]
        renames.write_text("\n".join(line for line, is_one in zip(lines, renamed) if not is_one or is_one[1] in named) + "\n")


def find_bodies(share):
    """The file with the functions' bodies that PoCL takes on a processor with AVX-512, for which cutting was tried."""
    flags = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    files = [file for file in share.glob("*.bc") if file.stem.endswith("-avx512")]
    if "avx512f" not in flags or len(files) != 1:
        raise OSError("cutting them was tried only for processors with AVX-512")
    return files[0]


def name_and_arguments(mangled):
    length = re.match(r"_Z(\d+)", mangled)
    if not length:
        return mangled, ""
    end = length.end() + int(length[1])
    return mangled[length.end():end], mangled[end:]


def cut_bodies(library, file, include, to):
    """Copies the bodies of functions that the headers declare, and of what these call."""
    llvm = ctypes.CDLL(re.search(rb"libLLVM[-\w.]*\.so[.\d]*", library.read_bytes())[0].decode())
    pointer = ctypes.c_void_p
    for function in ("GetGlobalContext", "GetFirstFunction", "GetNextFunction", "GetFirstUse"):
        getattr(llvm, "LLVM" + function).restype = pointer
    llvm.LLVMGetValueName2.restype = ctypes.c_char_p
    buffer, module = pointer(), pointer()
    if llvm.LLVMCreateMemoryBufferWithContentsOfFile(str(file).encode(), ctypes.byref(buffer), ctypes.byref(pointer())):
        raise OSError(f"{file} cannot be read")
    if llvm.LLVMParseBitcodeInContext2(pointer(llvm.LLVMGetGlobalContext()), buffer, ctypes.byref(module)):
        raise OSError(f"{file} is no file of this LLVM")

    def functions():
        size, value = ctypes.c_size_t(), llvm.LLVMGetFirstFunction(module)
        while value:
            yield llvm.LLVMGetValueName2(pointer(value), ctypes.byref(size)).decode(), pointer(value)
            value = llvm.LLVMGetNextFunction(pointer(value))

    declared = set()
    for header in include.glob("*.h"):
        declared.update(re.findall(r"[A-Za-z_]\w*", header.read_text()))
    renamed = {name for name, _ in (name_and_arguments(mangled) for mangled, _ in functions()) if name.startswith("_cl_")}

    def is_called(mangled):
        name, arguments = name_and_arguments(mangled)
        if not arguments:
            return not name.startswith("Sleef_")
        own_name = name.removeprefix("_cl_")
        if own_name not in declared or "_cl_" + name in renamed:
            return False
        vectors = set(re.findall(r"Dv\d+_.", arguments))
        return vectors <= {"Dv16_f", "Dv8_d", "Dv16_d"} or own_name.startswith(("read_image", "write_image"))

    internal = 8
    for mangled, function in functions():
        if not llvm.LLVMIsDeclaration(function) and not is_called(mangled):
            llvm.LLVMSetLinkage(function, internal)
    unused = True
    while unused:
        unused = [function for _, function in functions() if not llvm.LLVMGetFirstUse(function)
                  and (llvm.LLVMIsDeclaration(function) or llvm.LLVMGetLinkage(function) == internal)]
        for function in unused:
            llvm.LLVMDeleteFunction(function)
    if llvm.LLVMWriteBitcodeToFile(module, str(to).encode()):
        raise OSError(f"{to} cannot be written")


# The processes that run kernels have all libraries that kernels call.
LINKER = """#!/bin/sh
case "$*" in */tempfile_*.so.o\\ *) ;; *) exec {usual} "$@" ;; esac
for argument; do
    shift
    case $argument in -l* | -L* | --as-needed | --no-as-needed) ;; *) set -- "$@" "$argument" ;; esac
done
exec {quick} "$@"
"""


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
    include = folder / "share/pocl/include"
    shutil.copytree(share / "include", include)
    cut_headers(include, words_of(sources))
    for file in share.glob("*.bc"):
        (folder / "share/pocl" / file.name).symlink_to(file)
    cut = folder / "bodies.bc"
    try:
        bodies = find_bodies(share)
        cut_bodies(library, bodies, include, cut)
        cut.replace(folder / "share/pocl" / bodies.name)
    except (AttributeError, OSError, TypeError) as error:  # another LLVM, or another processor
        print(f"PoCL reads the bodies of all of OpenCL's functions in each process: {error}", file=sys.stderr)
    (folder / "bin").mkdir()
    usual, quick = shutil.which("ld.gold") or shutil.which("ld"), shutil.which("ld.bfd")
    if usual and quick:
        linker = folder / "bin/ld"
        linker.write_text(LINKER.format(usual=usual, quick=quick))
        linker.chmod(0o755)
    (folder / "vendors").mkdir()
    (folder / "vendors/pocl.icd").write_text(f"{place / library.name}\n")
    print(folder / "vendors", end="")


if __name__ == "__main__":
    main()
