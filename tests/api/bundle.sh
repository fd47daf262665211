# Records what a program compiles, expressions included, and runs it where nothing can be compiled. $1: the program.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
GEMEL_CACHE=off
export GEMEL_CACHE
output=$(GEMEL_BUNDLE_RECORD="$folder/programs.bundle" "$1" 2>&1)
status=$?
printf '%s\n' "$output"
case $output in
    *"is not available"* | *"there is no device"* | *"there is no backend"*) exit 77 ;;
esac
[ $status = 0 ] || exit 1
[ -s "$folder/programs.bundle" ] || { echo "FAILED: nothing was recorded"; exit 1; }
GEMEL_BUNDLE="$folder/programs.bundle" GEMEL_COMPILE=off GEMEL_NVRTC=/nonexistent/libnvrtc.so "$1" || exit 1
GEMEL_COMPILE=off "$1" 2>/dev/null && { echo "FAILED: it ran without a bundle"; exit 1; }
exit 0
