"""Reads `gemel info --json` and checks one thing in it.

check_info.py <gemel> lies-in <backend> <folder>    the backend's plug-in was loaded from there
check_info.py <gemel> refused <backend> <word>...   its reason holds every word
check_info.py <gemel> device <id> <name>            there is such a device
check_info.py <gemel> searched <folder>             the folder was looked in
check_info.py <gemel> no-default <word>...          there is no default device, and the reason holds every word
"""
import json
import os
import subprocess
import sys

tool, check, *arguments = sys.argv[1:]
report = json.loads(subprocess.run([tool, "info", "--json"], check=True, stdout=subprocess.PIPE).stdout)
backends = {backend["name"]: backend for backend in report["backends"]}


def expect(condition, what):
    if not condition:
        print(json.dumps(report, indent=2))
        sys.exit(f"expected {what}")


if check == "lies-in":
    name, folder = arguments
    expect(name in backends, f"a backend '{name}'")
    path = os.path.realpath(backends[name]["path"])
    expect(os.path.dirname(path) == os.path.realpath(folder), f"the plug-in of '{name}' in {folder}, not {path}")
elif check == "refused":
    name, *words = arguments
    expect(name in backends, f"a backend '{name}'")
    expect(not backends[name]["available"], f"'{name}' not to be available")
    for word in words:
        expect(word in backends[name]["reason"], f"'{word}' in the reason: {backends[name]['reason']}")
    expect(backends[name]["attempts"], "the files that were tried")
elif check == "device":
    identity, name = arguments
    expect(any(d["id"] == identity and d["name"] == name for d in report["devices"]), f"{identity} {name}")
elif check == "searched":
    expect(arguments[0] in report["plugin_search_path"], f"{arguments[0]} among {report['plugin_search_path']}")
elif check == "no-default":
    expect(report["default_device"] is None, "no default device")
    for word in arguments:
        expect(word in report["no_default_device_because"], f"'{word}' in {report['no_default_device_because']}")
else:
    sys.exit(f"unknown check {check}")
print("ok")
