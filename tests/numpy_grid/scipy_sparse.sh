# Sparse matrices against SciPy, files included: scipy_sparse.sh PROGRAM SCRIPT WORK_FOLDER SHARED_FOLDER. GEMEL_SPARSE_SEED
# chooses the matrices.
. "$(dirname "$0")/../find_numpy.sh"
program=$1 script=$2 work=$3
find_scipy "$4"
rm -rf "$work/cases" && mkdir -p "$work/cases" || exit 1
"$python" "$script" make "$work/cases" "${GEMEL_SPARSE_SEED:-1}" || exit 1
"$program" "$work/cases" || exit $?
"$python" "$script" check "$work/cases"
