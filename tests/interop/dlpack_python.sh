# Arrays between gemel and Python's libraries: dlpack_python.sh LIBRARY SCRIPT SHARED_FOLDER [PRELOADED_LIBRARIES]
# What an instrumented LIBRARY needs is loaded into Python alone, which keeps memory until it ends.
. "$(dirname "$0")/../find_numpy.sh"
library=$1 script=$2
find_numpy "$3"
ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=${4:-} exec "$python" "$script" "$library"
