# Contractions, convolutions and products against NumPy and SciPy: numpy_dense.sh PROGRAM SCRIPT WORK_FOLDER SHARED_FOLDER.
# GEMEL_DENSE_CASES and GEMEL_DENSE_SEED choose how many of each kind and which; in the check 40 of few types and two products
# of each type and precision, else 500.
. "$(dirname "$0")/../find_numpy.sh"
program=$1 script=$2 work=$3
find_scipy "$4"
count=${GEMEL_DENSE_CASES:-500} products=${GEMEL_DENSE_CASES:-500} types=all
if [ "${GEMEL_TEST_SHORT:-}" = 1 ] && [ -z "${GEMEL_DENSE_CASES:-}" ]; then count=40 products=36 types=few; fi
make_cases_folder "$work"
"$python" "$script" "$cases" "$count" "$count" "$products" "${GEMEL_DENSE_SEED:-1}" "$types" || exit 1
"$program" "$cases"
