#!/usr/bin/env bash
# The tests that docs/reliability.md, docs/security.md and the table of quirks (backends/opencl/quirks.cpp) name exist: those in
# the last column of tables headed "test", by their sentence or, in backquotes, by the file or the CTest that holds them.
#   named_tests.sh <root of the sources>
set -euo pipefail
cd "$1"
failed=0
found=0
exists() { # <name>
    case $1 in
        \`*\`)
            local name=${1//\`/}
            # `group.*` stands for CTests whose names are put together.
            [ -n "$(git ls-files "tests/**/$name.cpp" "tests/**/$name.sh" 2>/dev/null || find tests -name "$name.cpp" -o -name "$name.sh")" ] ||
                grep -rqF --include=CMakeLists.txt "${name%.\*}" tests
            ;;
        *) grep -rqF --include='*_test.cpp' "TEST_CASE(\"$1\")" tests ;;
    esac
}
for page in docs/reliability.md docs/security.md; do
    while IFS= read -r name; do
        found=$((found + 1))
        if ! exists "$name"; then
            echo "FAILED: $page names a test that does not exist: $name"
            failed=1
        fi
    done < <(awk -F ' *[|] *' '/^[|]/ { if (!table) { table = 1; tests = $(NF - 1) == "test"; next }
                                      if (tests && $(NF - 1) !~ /^:?-*:?$/) print $(NF - 1) }
                             !/^[|]/ { table = 0 }' $page | sed 's/ of the package$//; s/`, `/`\n`/g')
done
while IFS= read -r name; do
    found=$((found + 1))
    if ! grep -rqF --include='*_test.cpp' -e "TEST_CASE(\"$name\")" -e "TEST_CASE_PER_DEVICE(\"$name\"" tests/backend; then
        echo "FAILED: backends/opencl/quirks.cpp names a test that does not exist: $name"
        failed=1
    fi
done < <(sed -n 's/^ *\.test = "\(.*\)",$/\1/p' backends/opencl/quirks.cpp)
if [ $found -lt 37 ]; then
    echo "FAILED: only $found tests were found in the tables"
    failed=1
fi
echo "$found tests named"
exit $failed
