# Runs one of the programs that users write: its last line must begin with "ok". Where the device that the environment names
# does not exist the program ends with an exception that says so, and the test is Skipped (77).
output=$("$1" 2>&1)
status=$?
printf '%s\n' "$output"
case $output in
    *"is not available"* | *"there is no device"* | *"there is no backend"*) exit 77 ;;
esac
case $(printf '%s\n' "$output" | tail -n 1) in
    ok*) exit $status ;;
esac
exit 1
