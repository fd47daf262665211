#!/bin/sh
# `gemel info` and `gemel cache` from outside, where the environment or standard output is not as it should be. $1: the
# command.
gemel=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset GEMEL_BACKEND GEMEL_DEVICE GEMEL_DEBUG
export GEMEL_CACHE_DIR="$folder/cache"
failed=0

# expects <exit code> <word on either output> <arguments...>
expects() {
    code=$1 word=$2
    shift 2
    "$gemel" "$@" >out 2>&1 </dev/null
    found=$?
    [ $found = "$code" ] || { echo "FAILED: exit code $found instead of $code: $*"; failed=1; }
    grep -q -- "$word" out || { echo "FAILED: no '$word' in what '$*' says:"; cat out; failed=1; }
}

# The report is for those whose settings are wrong.
export GEMEL_CACHE=perhaps
expects 0 "GEMEL_CACHE is 'perhaps'" info
expects 0 "GEMEL_CACHE is 'perhaps'" info --json
expects 0 'of at most 1 GiB' info
expects 0 '1 GiB' cache stat
expects 1 'on | readonly | off' cache clear
unset GEMEL_CACHE

# Bundles: what is missing or none is said with the file's name; the command that records is run with its arguments.
expects 1 'cannot read .*none.bundle' bundle ls none.bundle
echo 'no bundle' >wrong.bundle
expects 1 'wrong.bundle is not a bundle' bundle ls wrong.bundle
expects 0 'recorded to .*new.bundle for sm_80' bundle record --architectures sm_80 new.bundle sh -c 'echo recorded to $GEMEL_BUNDLE_RECORD for $GEMEL_BUNDLE_ARCHITECTURES'
expects 1 'cannot run no-such-command' bundle record new.bundle no-such-command
printf 'gemel bundle 1\n' >empty.bundle
expects 0 '0 programs in all.bundle' bundle merge all.bundle empty.bundle empty.bundle

# What devices reach, and calls that are repeated.
expects 0 '"devices": ' bench --json --seconds 0.001
command -v python3 >/dev/null && { python3 - out <<'PYTHON' || { echo "FAILED: what 'bench --json' says:"; cat out; failed=1; }
import json, sys
for device in json.load(open(sys.argv[1]))["devices"]:
    figures = device["figures"]
    assert len(figures) == 9, figures
    assert all(value is None or value > 0 for value in figures.values()), figures
    assert all(figures[key] for key in ("launch_us", "upload_gb_s", "bandwidth_gb_s", "float_gflops", "compile_ms")), figures
PYTHON
}
expects 2 'seconds' bench --seconds -1
expects 1 'call.txt' replay no-such-folder

export GEMEL_BACKEND=metal
expects 0 'asked for by GEMEL_BACKEND' info
# What the variable leaves out is listed all the same, and marked.
if "$gemel" info --json | grep -q '"id"'; then
    expects 0 'excluded by GEMEL_BACKEND' info
    expects 0 '"excluded": true' info --json
fi
unset GEMEL_BACKEND
export GEMEL_DEVICE=999
expects 0 'asked for by GEMEL_DEVICE' info
unset GEMEL_DEVICE
# A folder that others may write to is not touched, and clearing it is no success.
mkdir -p "$folder/open" && chmod 777 "$folder/open"
GEMEL_CACHE_DIR="$folder/open" expects 1 'other users may write to it' cache clear

# Why a library cannot be used is no version of it.
export GEMEL_NVRTC=/nowhere/libnvrtc.so
expects 0 gemel info --json
if grep -q '"NVRTC"' out; then
    expects 0 '"trouble": *"/nowhere/libnvrtc.so: cannot open' info --json
    grep -q '"version": *"/nowhere' out && { echo "FAILED: a loader's words as a version:"; cat out; failed=1; }
    expects 0 '/nowhere/libnvrtc.so: cannot open' info
fi
unset GEMEL_NVRTC
expects 2 "'extra'" info extra
expects 2 "'rm'" cache rm

# What could not be written is no success.
if [ -c /dev/full ]; then
    for arguments in info 'info --json' 'cache stat'; do
        "$gemel" $arguments >/dev/full 2>message && { echo "FAILED: '$arguments' to a full disk is a success"; failed=1; }
        grep -q 'cannot write to standard output' message || { echo "FAILED: '$arguments' to a full disk says nothing"; failed=1; }
    done
fi
exit $failed
