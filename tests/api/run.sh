# Runs one of the programs that users write: its last line must begin with "ok". Where the device that the environment names
# does not exist the program ends with an exception that says so, and the test is Skipped (77); so it is without OpenGL.
# "fresh" as second argument: with an empty folder for what is stored, which is removed afterwards.
if [ "$2" = fresh ]; then
    GEMEL_CACHE_DIR=$(mktemp -d) || exit 1
    export GEMEL_CACHE_DIR
    trap 'rm -rf "$GEMEL_CACHE_DIR"' EXIT
fi
output=$("$1" 2>&1)
status=$?
printf '%s\n' "$output"
case $output in
    *"is not available"* | *"there is no device"* | *"there is no backend"* | *": nothing to draw"*) exit 77 ;;
esac
case $(printf '%s\n' "$output" | tail -n 1) in
    ok*) exit $status ;;
esac
exit 1
