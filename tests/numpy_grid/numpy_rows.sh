# Expressions with reductions in them against NumPy: numpy_rows.sh PROGRAM SCRIPT WORK_FOLDER SHARED_FOLDER. GEMEL_ROW_CASES and
# GEMEL_ROW_SEED choose how many cases and which; 120 in the check, 10000 else.
. "$(dirname "$0")/../find_numpy.sh"
program=$1 script=$2 work=$3
find_numpy "$4"
if [ "${GEMEL_TEST_SHORT:-}" = 1 ]; then usual=120; else usual=10000; fi
left=${GEMEL_ROW_CASES:-$usual}
seed=${GEMEL_ROW_SEED:-1}
make_cases_folder "$work"
# A thousand at a time: their arrays are all in memory.
while [ "$left" -gt 0 ]; do
    count=$((left < 1000 ? left : 1000))
    mkdir -p "$cases/$seed" && "$python" "$script" "$cases/$seed" $count "$seed" || exit 1
    left=$((left - count))
    seed=$((seed + 1))
done
"$program" "$cases"/*
