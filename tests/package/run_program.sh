#!/bin/sh
# run_program.sh <backend> <program>: runs it in an almost empty environment; it must exit 0 and print a line that begins
# with "ok". Without a device of that backend the test is Skipped (77), which backends_test decides.
backend=$1
program=$2
if ! env -i "$(dirname "$program")/backends_test" available "$backend" >/dev/null; then
    echo "skipped: no device for $backend"
    exit 77
fi
cache=$PWD/cache
# What is tuned once is not timed again: the tuner begins with nothing stored.
case $program in *17_tune) cache=$PWD/cache-of-tuner && rm -rf "$cache" ;; esac
# PATH: PoCL calls the linker when it finishes a kernel.
set -- PATH="$PATH"
# What the suites have run finds their PoCL, and its kernels compiled.
name=$(basename "$program")
if [ "$name" != 01_source_module ] && [ -n "${GEMEL_SUITES_BUILD:-}" ] && [ -d "$GEMEL_SUITES_BUILD/pocl/api_$name" ]; then
    quick=$GEMEL_SUITES_BUILD/release/quick_pocl
    set -- PATH="$quick/bin:$PATH" OCL_ICD_VENDORS="$quick/vendors" POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable \
        POCL_CACHE_DIR="$GEMEL_SUITES_BUILD/pocl/api_$name"
fi
output=$(env -i "$@" GEMEL_BACKEND="$backend" GEMEL_CACHE_DIR="$cache" "$program") || {
    status=$?
    echo "$output"
    echo "exit $status"
    exit 1
}
echo "$output"
echo "$output" | grep -q '^ok'
