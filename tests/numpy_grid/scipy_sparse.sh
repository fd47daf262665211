# Sparse matrices against SciPy, files included: scipy_sparse.sh PROGRAM SCRIPT WORK_FOLDER SHARED_FOLDER. GEMEL_SPARSE_SEED
# chooses the matrices.
. "$(dirname "$0")/../find_numpy.sh"
program=$1 script=$2 work=$3
find_scipy "$4"
make_cases_folder "$work"
"$python" "$script" make "$cases" "${GEMEL_SPARSE_SEED:-1}" || exit 1
"$program" "$cases" || exit $?
"$python" "$script" check "$cases"
