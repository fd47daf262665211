#!/bin/sh
# relative_library_test.sh PROGRAM LIBRARY: a libgemel.so that was loaded by a relative path looks for plug-ins beside itself,
# whatever folder is current later.
set -u
program=$1 library=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/here" "$folder/elsewhere" "$folder/elsewhere/gemel" "$folder/plugins"
cp "$library" "$folder/here/$(basename "$library")"
cd "$folder" || exit 1
found=$(GEMEL_PLUGIN_PATH=../plugins:./gemel/ LD_LIBRARY_PATH=here "$program" "$folder/elsewhere")
expected="$folder/plugins
$folder/elsewhere/gemel
$folder/here/gemel
$folder/here"
if [ "$found" != "$expected" ]; then
    printf 'FAILED: expected\n%s\nbut got\n%s\n' "$expected" "$found"
    exit 1
fi
echo ok
