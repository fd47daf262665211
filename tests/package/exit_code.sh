#!/bin/sh
# exit_code.sh <expected> <command>...: passes if the command exits so; one that fails must say something on standard error.
expected=$1
shift
message=$("$@" 2>&1 >/dev/null)
status=$?
echo "exit $status: $message"
[ "$status" = "$expected" ] || exit 1
[ "$expected" = 0 ] || [ -n "$message" ]
