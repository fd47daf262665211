#!/bin/sh
# Structs that GEMEL_STRUCT must refuse, and uses of structs without one, each with words that say why.
#   struct_refusals.sh <compiler> <option>...
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

compiler=$1
shift

# What each of the two kinds of program includes is read once.
printf '#include <gemel/codegen/struct.hpp>\n' > "$folder/struct.hpp"
printf '#include <gemel/%s.hpp>\n' arrays/creation arrays/elementwise_kernel arrays/reduction_kernel codegen/function > "$folder/arrays.hpp"
for name in struct arrays; do
    "$compiler" "$@" -std=c++20 -x c++-header "$folder/$name.hpp" -o "$folder/$name.hpp.gch" || exit 1
done

# compile <what it is> <words> <errors> <option>...: the words stand in the first so many errors of x.cpp; without words
# it must compile
compile() {
    what=$1 words=$2 errors=$3
    shift 3
    if "$compiler" "$@" -std=c++20 -fsyntax-only "$folder/x.cpp" > "$folder/log" 2>&1; then
        [ -z "$words" ] && return
        echo "compiles, but should not: $what"
        failures=$((failures + 1))
    elif [ -z "$words" ] || ! grep 'error:' "$folder/log" | head -n "$errors" | grep -q -- "$words"; then
        echo "$what: expected '$words', the compiler said"
        sed 's/^/    /' "$folder/log" | head -20
        failures=$((failures + 1))
    fi
}

# check <members> <list> <words> <option>...
check() {
    members=$1 list=$2 words=$3
    shift 3
    printf 'struct X { %s };\nGEMEL_STRUCT(X, %s)\n' "$members" "$list" > "$folder/x.cpp"
    compile "{ $members } with the list ($list)" "$words" 20 "$@" -include "$folder/struct.hpp"
}

# use <statements> <words> <option>...: what is done with a struct X that has no GEMEL_STRUCT
use() {
    statements=$1 words=$2
    shift 2
    printf 'using namespace gemel;\nstruct X { float a; };\nvoid f() { %s }\n' "$statements" \
        > "$folder/x.cpp"
    compile "$statements" "$words" 1 "$@" -include "$folder/arrays.hpp"
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
for word in kernel global half read_only restrict __shared__; do
    check "float $word, b;" "$word, b" "GEMEL_STRUCT(X): '$word' is a keyword" "$@"
    check "float a, $word;" "a, $word" "GEMEL_STRUCT(X): '$word' is a keyword" "$@"
done
check 'float kernels, halved;' 'kernels, halved' '' "$@"
check 'float gemel_padding_1;' 'gemel_padding_1' 'called like the padding' "$@"
check 'float a; }; struct pipe { int b;' 'a) GEMEL_STRUCT(pipe, b' 'GEMEL_STRUCT(pipe): the struct is called as a keyword' "$@"

no_element="not an element type: name a struct's fields with GEMEL_STRUCT"
use 'X x{}; (void)as_argument(x);' '' "$@"
use 'GPUArray<X> x;' "$no_element" "$@"
use 'auto x = zeros<X>(Shape{3});' "$no_element" "$@"
use 'auto x = full<X>(Shape{3}, X{});' "$no_element" "$@"
use 'auto x = to_gpu(std::vector<X>(3));' "$no_element" "$@"
use 'ScalarArg x(dtype_of<X>(), "x");' "$no_element" "$@"
use 'ReductionKernel<X> best({.arguments = "const X *x"});' "$no_element" "$@"
use 'auto x = codegen::value<X>("x");' "$no_element" "$@"
use 'ElementwiseKernel k("X s, float *x", "x[i] = s.a"); k(X{}, GPUArray<float>());' "$no_element" "$@"
use 'enum class E { a }; auto x = zeros<E>(Shape{3});' 'an enumeration is not an element type' "$@"
use 'GPUArray<float *> x;' 'a pointer is not an element type' "$@"
use 'auto x = empty<long double>(Shape{3});' 'no device has long double' "$@"
exit $failures
