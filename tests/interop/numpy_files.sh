# Files between gemel and NumPy, in both directions: numpy_files.sh PROGRAM SCRIPT WORK_FOLDER SHARED_FOLDER
. "$(dirname "$0")/../find_numpy.sh"
program=$1 script=$2 work=$3
find_numpy "$4"
rm -rf "$work/ours" "$work/theirs" && mkdir -p "$work/ours" "$work/theirs" || exit 1
"$program" write "$work/ours" || exit $?
"$python" "$script" check "$work/ours" || exit 1
"$python" "$script" write "$work/theirs" || exit 1
"$program" read "$work/theirs" || exit $?
echo ok
