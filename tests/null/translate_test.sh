#!/bin/sh
# `gemel translate` from outside: where it reads and writes, and what it says when it cannot. $1: the command.
gemel=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0

check() { # <what> <command...>
    what=$1
    shift
    if ! "$@"; then
        echo "FAILED: $what"
        failed=1
    fi
}
# refuses <exit code> <word of the message> <arguments...>
refuses() {
    code=$1 word=$2
    shift 2
    "$gemel" translate "$@" >out 2>message </dev/null
    found=$?
    check "exit code $found instead of $code: translate $*" [ $found = "$code" ]
    check "no '$word' in: $(cat message)" grep -q -- "$word" message
}

mkdir sub
echo '#pragma once
WITHIN_KERNEL float half_of(float x) { return x / 2; }' >sub/half.h
echo '#include "half.h"' >sub/other.h
echo '#include "sub/half.h"
#include "sub/other.h"
#include <absent.h>
KERNEL void f(GLOBAL_MEM float *x) { x[0] = half_of(store_float16(x[0]).bits); }' >f.gemel

"$gemel" translate f.gemel --to cuda,opencl,cuda >both
check "two targets, a line before each" [ "$(grep -c '^// ---- ' both)" = 2 ]
check "the comment names the dialect" grep -qx '// ---- opencl ----' both
"$gemel" translate f.gemel --to cuda,opencl --output new/folder >out
check "files instead of standard output" [ ! -s out ]
check "a file for each" [ "$(ls new/folder | tr '\n' ' ')" = "f.cl f.cu " ]
check "the sections that are used" grep -q 'cvt.rn.f16.f32' new/folder/f.cu
check "no section that is not" sh -c '! grep -q cfloat new/folder/f.cu'
check "the words are defined" grep -qx '#define GLOBAL_MEM __global' new/folder/f.cl
check "quoted files are put in, once" [ "$(grep -c 'float half_of' new/folder/f.cl)" = 1 ]
check "without their #pragma once" sh -c '! grep -q "pragma once" new/folder/f.cl'
check "other includes stay" grep -qx '#include <absent.h>' new/folder/f.cl
echo '#include "half.h"' | "$gemel" translate - -I sub --to cuda -o stdin
check "standard input becomes kernel.cu" grep -q half_of stdin/kernel.cu

refuses 1 'cannot read absent.gemel' absent.gemel --to cuda
refuses 1 'known are cuda, opencl' f.gemel --to metal
refuses 2 '--to is required' f.gemel
refuses 1 'cannot write' f.gemel --to cuda --output f.gemel
cp f.gemel f.cu
refuses 1 'is the file that is read' f.cu --to cuda --output .
echo '#include "circle.h"' >circle.h
refuses 1 'pragma once' circle.h --to opencl
exit $failed
