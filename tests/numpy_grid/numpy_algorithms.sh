# Sorts, selections, groups and searches against NumPy: numpy_algorithms.sh PROGRAM SCRIPT WORK_FOLDER SHARED_FOLDER.
# GEMEL_ALGORITHM_CASES and GEMEL_ALGORITHM_SEED choose how many cases and which; 60 of few types in the check, 10000 else.
. "$(dirname "$0")/../find_numpy.sh"
program=$1 script=$2 work=$3
find_numpy "$4"
if [ "${GEMEL_TEST_SHORT:-}" = 1 ]; then usual=60 usual_types=few; else usual=10000 usual_types=all; fi
left=${GEMEL_ALGORITHM_CASES:-$usual} seed=${GEMEL_ALGORITHM_SEED:-1}
if [ -n "${GEMEL_ALGORITHM_CASES:-}" ]; then types=all; else types=$usual_types; fi
failed=0
make_cases_folder "$work"
# A thousand at a time, so that few arrays lie about.
while [ "$left" -gt 0 ]; do
    count=$((left < 1000 ? left : 1000))
    rm -rf "$cases"/*
    echo "$count cases of seed $seed, $types types"
    "$python" "$script" "$cases" "$count" "$seed" "$types" || exit 1
    "$program" "$cases"
    status=$?
    [ $status -eq 77 ] && exit 77
    [ $status -ne 0 ] && failed=1
    left=$((left - count)) seed=$((seed + 1))
done
exit $failed
