# The operator grid against NumPy (2.1 or newer): numpy_grid.sh PROGRAM SCRIPT WORK_FOLDER TYPE...
# NumPy comes from the machine's Python if that has it, else from PyPI into a virtual environment; without either the
# test is Skipped (77).
program=$1 script=$2 work=$3
shift 3
newer='import numpy, sys; sys.exit(tuple(map(int, numpy.__version__.split(".")[:2])) < (2, 1))'
python=python3
if ! "$python" -c "$newer" 2>/dev/null; then
    python=$work/venv/bin/python
    if ! "$python" -c "$newer" 2>/dev/null; then
        if ! { python3 -m venv "$work/venv" && "$work/venv/bin/pip" -q install 'numpy>=2.1'; } >"$work.log" 2>&1; then
            echo "skipped: there is no NumPy 2.1 here, and none could be installed (see $work.log)"
            exit 77
        fi
    fi
fi
rm -rf "$work/cases" && mkdir -p "$work/cases" || exit 1
"$python" "$script" "$work/cases" "$@" || exit 1
"$program" "$work/cases"
