# Expressions with reductions in them against NumPy: numpy_rows.sh PROGRAM SCRIPT WORK_FOLDER SHARED_FOLDER. GEMEL_ROW_CASES and
# GEMEL_ROW_SEED choose how many cases and which; 50 in the check, 400 else.
. "$(dirname "$0")/../find_numpy.sh"
program=$1 script=$2 work=$3
find_numpy "$4"
rm -rf "$work/cases" && mkdir -p "$work/cases" || exit 1
if [ "${GEMEL_TEST_SHORT:-}" = 1 ]; then usual=50; else usual=400; fi
"$python" "$script" "$work/cases" "${GEMEL_ROW_CASES:-$usual}" "${GEMEL_ROW_SEED:-1}" || exit 1
"$program" "$work/cases"
