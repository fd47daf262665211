# What the scripts share: where they are, messages, packages of the distribution. Sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '\n== %s\n' "$*"; }
note() { printf '   %s\n' "$*"; }

# Both are read by CMake when it first configures a build folder, and by CMake and CTest when they run.
has_ccache() { command -v ccache >/dev/null && [ -z "${CCACHE_DISABLE:-}" ]; }
if has_ccache; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# The headers of Boost 1.81 or newer: Debian 12 has them beside an older default.
boost_package() {
    if is_installed libboost1.81-dev || apt-cache show libboost1.81-dev >/dev/null 2>&1; then
        echo libboost1.81-dev
    else
        echo libboost-dev
    fi
}

# Package lists are fetched once, and only when something is missing.
refresh_lists() {
    if [ -z "${lists_are_fresh:-}" ]; then as_root apt-get update -q </dev/null; fi
    lists_are_fresh=yes
}

# install_missing <package>...: installs with apt what is not there, and says what. `BOOST` stands for boost_package; a
# package written `?name` is installed where the distribution has it.
install_missing() {
    if ! command -v apt-get >/dev/null; then
        note "no apt-get here: these must be installed already: $*"
        return
    fi
    local package missing=()
    for package in "$@"; do
        if [ "$package" = BOOST ]; then
            if [ -f /usr/include/boost/pfr.hpp ]; then continue; fi
            refresh_lists
            package=$(boost_package)
        fi
        if is_installed "${package#\?}"; then continue; fi
        if [ "$package" != "${package#\?}" ]; then
            refresh_lists
            package=${package#\?}
            if ! apt-cache show "$package" >/dev/null 2>&1; then
                note "this distribution has no $package: what needs it is left out"
                continue
            fi
        fi
        missing+=("$package")
    done
    if [ ${#missing[@]} = 0 ]; then
        note "every package needed is installed"
        return
    fi
    note "installing: ${missing[*]}"
    refresh_lists
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" </dev/null
}

build_packages=(g++ cmake ninja-build libspdlog-dev BOOST opencl-headers ocl-icd-opencl-dev nlohmann-json3-dev libcli11-dev zlib1g-dev)
# PoCL runs OpenCL on the CPU, so that every machine has a device; it calls the linker when it finishes a kernel.
device_packages=(pocl-opencl-icd binutils)

# The folder with include/cuda.h of a CUDA Toolkit on this machine, or nothing.
cuda_toolkit() {
    local folder
    for folder in "${CUDA_PATH:-}" "${CUDA_HOME:-}" /usr/local/cuda /usr; do
        if [ -n "$folder" ] && [ -f "$folder/include/cuda.h" ] && [ -f "$folder/include/nvrtc.h" ]; then
            echo "$folder"
            return
        fi
    done
}
