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
    timeout 60 "$gemel" translate "$@" >out 2>message </dev/null
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

# Guards of either kind, and one that is none.
mkdir guards
printf '// once\n#ifndef A_H\n#define A_H\n#include "b.h"\nWITHIN_KERNEL int in_a(void) { return 1; }\n#endif // A_H\n' >guards/a.h
printf '#if !defined(B_H)\n#define B_H 1\n#include "a.h"\nWITHIN_KERNEL int in_b(void) { return 2; }\n#endif' >guards/b.h
printf '#  pragma  once\nWITHIN_KERNEL int in_c(void) { return 3; }\n' >guards/c.h
printf '#ifndef PART\n#define PART 1\n#endif\ntypedef int number;\n' >guards/part.h
printf '/* #include "c.h" */\n#include "a.h" // here\n#include "c.h"\n#include "b.h"\n#include "c.h"\n#include "part.h"\n#include "part.h"\nKERNEL void g(GLOBAL_MEM int *x) { x[0] = in_a() + in_b() + in_c(); }\n' >guards/g.gemel
"$gemel" translate guards/g.gemel --to opencl >guarded
check "files that include each other behind guards" [ $? = 0 ]
for word in in_a in_b in_c; do
    check "$word is there once" [ "$(grep -c "int $word" guarded)" = 1 ]
done
check "what has no guard is there twice" [ "$(grep -c 'int number' guarded)" = 2 ]
check "comments stay" grep -qF '/* #include "c.h" */' guarded

# Only what is used.
echo 'KERNEL void h(GLOBAL_MEM float *x) { x[LID_0] = 1; }' >h.gemel
for target in cuda opencl; do
    "$gemel" translate h.gemel --to $target >short
    check "$target: used words are there" [ "$(grep -c -e 'KERNEL' -e 'LID_0' short)" -ge 3 ]
    for word in LID_1 GDIM_0 int64_t NAN INFINITY REQD_WG_SIZE GEMEL_FUNCTION; do
        check "$target: $word is not used" sh -c "! grep -q $word short"
    done
done
printf '#define PASTE(a, b) a##b\nKERNEL void p(GLOBAL_MEM float *x) { x[PASTE(LID, _0)] = 1; }\n' | "$gemel" translate - --to opencl >pasted
check "pasted words are there" grep -q 'define LID_0' pasted

# nvcc has seen the host's headers, which declare some of the words themselves.
printf 'KERNEL void w(GLOBAL_MEM int64_t *x, ulong y, uint z, GLOBAL_MEM float *f)\n{\n    atomic_add(&x[1], (int64_t)y);\n    x[0] = INT64_C(3) + z;\n    f[0] = NAN == NAN ? INFINITY : M_PI;\n}\n' |
    sed 's/INT64_C(3)/(uint64_t)3/' | "$gemel" translate - --to cuda >w.cu
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
    check "nvcc takes it" "$nvcc" -Werror all-warnings -ptx -o w.ptx w.cu
else
    echo "not compiled with nvcc, which is not there"
fi

mkfifo pipe
refuses 1 'no device' /dev/zero --to cuda
refuses 1 'no pipe' pipe --to cuda
echo '#include "pipe"' >reads_pipe.gemel
timeout 20 "$gemel" translate reads_pipe.gemel --to cuda >out
check "a pipe is not included" grep -q 'include "pipe"' out
timeout 60 "$gemel" translate - --to cuda </dev/zero >out 2>message
check "input without an end is refused" grep -q 'more than' message

refuses 1 'cannot read absent.gemel' absent.gemel --to cuda
refuses 1 'known are cuda, opencl' f.gemel --to metal
refuses 2 '--to is required' f.gemel
refuses 1 'cannot write' f.gemel --to cuda --output f.gemel
cp f.gemel f.cu
refuses 1 'is the file that is read' f.cu --to cuda --output .
echo '#include "circle.h"' >circle.h
refuses 1 'pragma once' circle.h --to opencl
exit $failed
