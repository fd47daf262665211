# The operator grid against NumPy: numpy_grid.sh PROGRAM SCRIPT WORK_FOLDER SHARED_FOLDER LEFT_TYPE TYPE...
. "$(dirname "$0")/../find_numpy.sh"
program=$1 script=$2 work=$3
find_numpy "$4"
shift 4
make_cases_folder "$work"
"$python" "$script" "$cases" "$@" || exit 1
"$program" "$cases" "$1"
