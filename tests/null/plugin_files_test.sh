#!/bin/sh
# plugin_files_test.sh GEMEL PLUGIN: plug-in files that are cut short or for another machine are refused by name, and the
# process goes on.
set -u
gemel=$1 plugin=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export GEMEL_CACHE_DIR="$folder/cache"

size=$(stat -L -c %s "$plugin")
mkdir "$folder/cut" "$folder/arm"
head -c $((size / 2)) "$plugin" > "$folder/cut/libgemel_cut.so"
cp "$plugin" "$folder/arm/libgemel_arm.so"
printf '\267\000' | dd of="$folder/arm/libgemel_arm.so" bs=1 seek=18 conv=notrunc 2>/dev/null

failures=0
expect() {  # expect NAME WORDS
    said=$(GEMEL_PLUGIN_PATH="$folder/$1" "$gemel" info 2>&1)
    code=$?
    if [ $code -ne 0 ] || ! printf '%s' "$said" | tr '\n' ' ' | tr -s ' ' | grep -q -- "$2"; then
        printf 'FAILED: %s: exit code %s, expected "%s" in:\n%s\n' "$1" "$code" "$2" "$said"
        failures=$((failures + 1))
    fi
}
expect cut "it is cut short"
expect arm "another machine: for arm64"
[ $failures -eq 0 ] && echo ok
exit $failures
