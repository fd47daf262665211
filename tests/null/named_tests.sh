#!/usr/bin/env bash
# The tests that docs/reliability.md and docs/security.md name, in the last column of their tables, exist.
#   named_tests.sh <root of the sources>
set -euo pipefail
cd "$1"
failed=0
found=0
for page in docs/reliability.md docs/security.md; do
    if [ ! -f $page ]; then continue; fi
    while IFS= read -r name; do
        found=$((found + 1))
        # A script may be named by its file.
        if [ -f "$name" ]; then continue; fi
        if ! grep -rqF --include='*_test.cpp' "TEST_CASE(\"$name\")" tests; then
            echo "FAILED: $page names a test that does not exist: $name"
            failed=1
        fi
    done < <(sed -n 's/^| .* | \([^|]*[^| ]\) *|$/\1/p' $page | grep -vxE 'test|-+|:?-+:?')
done
if [ $found -lt 15 ]; then
    echo "FAILED: only $found tests were found in the tables"
    failed=1
fi
echo "$found tests named"
exit $failed
