#!/bin/sh
# Structs that GEMEL_STRUCT must refuse, each with words that say why.
#   struct_refusals.sh <compiler> <option>...
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

compiler=$1
shift

# check <members> <list> <words of the message> <option>...; without words it must compile
check() {
    members=$1 list=$2 words=$3
    shift 3
    printf '#include <gemel/codegen/struct.hpp>\nstruct X { %s };\nGEMEL_STRUCT(X, %s)\n' "$members" "$list" > "$folder/x.cpp"
    if "$compiler" "$@" -std=c++20 -fsyntax-only "$folder/x.cpp" > "$folder/log" 2>&1; then
        [ -z "$words" ] && return
        echo "compiles, but should not: { $members } with the list ($list)"
        failures=$((failures + 1))
    elif [ -z "$words" ] || ! grep -q -- "$words" "$folder/log"; then
        echo "{ $members } with the list ($list): expected '$words', the compiler said"
        sed 's/^/    /' "$folder/log" | head -20
        failures=$((failures + 1))
    fi
}

check 'float a, b; int c;' 'a, b, c' '' "$@"
check 'float a, b, c;' 'a, c, b' 'not listed in the order of the struct' "$@"
check 'float a; int b;' 'b, a' 'not listed in the order of the struct' "$@"
check 'float a, b;' 'a, a' 'not listed in the order of the struct' "$@"
check 'float a, b;' 'a' 'does not name all fields' "$@"
check 'float a, b;' 'a, q' "q" "$@"
check 'float *p;' 'p' 'a field is a pointer' "$@"
check 'std::array<float *, 2> p;' 'p' 'a field is a pointer' "$@"
check 'float &r;' 'r' 'reference' "$@"
check 'float p[3];' 'p' 'a field is a built-in array; use std::array' "$@"
check 'std::array<float, 1> p;' 'p' 'fewer than two elements' "$@"
check 'long double d;' 'd' 'no device has long double' "$@"
check 'struct Y { int q; } y;' 'y' 'no GEMEL_STRUCT of its own' "$@"
check 'float a; X(int);' 'a' 'only aggregates' "$@"
check 'float a; ~X();' 'a' 'not trivially copyable' "$@"
check 'float a; virtual void f();' 'a' 'standard layout' "$@"
exit $failures
