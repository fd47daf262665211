# Sourced by tests that compare with NumPy or SciPy. find_numpy FOLDER and find_scipy FOLDER set $python to an interpreter that
# has NumPy 2.1 or newer, and SciPy: the machine's own or, from PyPI, that of a virtual environment in FOLDER, which all tests
# share. Without either the test is Skipped (77).
find_numpy() { find_python "$1" numpy numpy 'numpy>=2.1'; }
find_scipy() { find_python "$1" scipy 'numpy, scipy' 'numpy>=2.1' 'scipy>=1.14'; }

# find_python FOLDER NAME MODULES PACKAGE...: an environment of that name
find_python() {
    environment=$1/$2
    newer="import $3, sys; sys.exit(tuple(map(int, numpy.__version__.split('.')[:2])) < (2, 1))"
    name=$2
    shift 3
    python=python3
    if "$python" -c "$newer" 2>/dev/null; then return; fi
    python=$environment/bin/python
    (
        flock 9
        "$python" -c "$newer" 2>/dev/null || { python3 -m venv "$environment" && "$environment/bin/pip" -q install "$@"; } >"$environment.log" 2>&1
    ) 9>"$environment.lock"
    if ! "$python" -c "$newer" 2>/dev/null; then
        echo "skipped: there is no $name that is new enough here, and none could be installed (see $environment.log)"
        exit 77
    fi
}

# A folder of this process for its cases, $cases, so that several devices can be tested at once. It stays if the test fails.
make_cases_folder() {
    cases="$1/cases.$$"
    rm -rf "$cases" && mkdir -p "$cases" || exit 1
    trap 'status=$?; [ $status -eq 0 ] || [ $status -eq 77 ] && rm -rf "$cases"; exit $status' EXIT
}
