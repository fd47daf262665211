# Files between gemel and NumPy (2 or newer), in both directions: numpy_files.sh PROGRAM SCRIPT WORK_FOLDER
# NumPy comes from the machine's Python if that has it, else from PyPI into a virtual environment; without either the
# test is Skipped (77).
program=$1 script=$2 work=$3
newer='import numpy, sys; sys.exit(int(numpy.__version__.split(".")[0]) < 2)'
python=python3
if ! "$python" -c "$newer" 2>/dev/null; then
    python=$work/venv/bin/python
    if ! "$python" -c "$newer" 2>/dev/null; then
        if ! { python3 -m venv "$work/venv" && "$work/venv/bin/pip" -q install 'numpy>=2'; } >"$work.log" 2>&1; then
            echo "skipped: there is no NumPy 2 here, and none could be installed (see $work.log)"
            exit 77
        fi
    fi
fi
rm -rf "$work/ours" "$work/theirs" && mkdir -p "$work/ours" "$work/theirs" || exit 1
"$program" write "$work/ours" || exit $?
"$python" "$script" check "$work/ours" || exit 1
"$python" "$script" write "$work/theirs" || exit 1
"$program" read "$work/theirs" || exit $?
echo ok
