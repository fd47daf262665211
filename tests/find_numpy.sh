# Sourced by tests that compare with NumPy: find_numpy FOLDER sets $python to an interpreter that has NumPy 2.1 or newer, the
# machine's own or, from PyPI, that of a virtual environment in FOLDER, which all tests share. Without either the test is
# Skipped (77).
find_numpy() {
    newer='import numpy, sys; sys.exit(tuple(map(int, numpy.__version__.split(".")[:2])) < (2, 1))'
    python=python3
    if "$python" -c "$newer" 2>/dev/null; then return; fi
    python=$1/numpy/bin/python
    (
        flock 9
        "$python" -c "$newer" 2>/dev/null || { python3 -m venv "$1/numpy" && "$1/numpy/bin/pip" -q install 'numpy>=2.1'; } >"$1/numpy.log" 2>&1
    ) 9>"$1/numpy.lock"
    if ! "$python" -c "$newer" 2>/dev/null; then
        echo "skipped: there is no NumPy 2.1 here, and none could be installed (see $1/numpy.log)"
        exit 77
    fi
}

# The same with SciPy, in an environment of its own beside it.
find_scipy() {
    newer='import numpy, scipy, sys; sys.exit(tuple(map(int, numpy.__version__.split(".")[:2])) < (2, 1))'
    python=python3
    if "$python" -c "$newer" 2>/dev/null; then return; fi
    python=$1/scipy/bin/python
    (
        flock 9
        "$python" -c "$newer" 2>/dev/null || { python3 -m venv "$1/scipy" && "$1/scipy/bin/pip" -q install 'numpy>=2.1' 'scipy>=1.14'; } >"$1/scipy.log" 2>&1
    ) 9>"$1/scipy.lock"
    if ! "$python" -c "$newer" 2>/dev/null; then
        echo "skipped: there is no SciPy here, and none could be installed (see $1/scipy.log)"
        exit 77
    fi
}
