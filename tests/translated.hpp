/// What `gemel translate` prints, for suites that compile it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <unistd.h>

/// @throws std::runtime_error if the command fails
inline std::string translated(const std::string& program, const std::string& dialect) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("gemel-translate-" + std::to_string(::getpid()));
    std::ofstream(file, std::ios::binary) << program;
    const std::string command = "'" GEMEL_COMMAND "' translate '" + file.string() + "' --to " + dialect;
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    if (!pipe) throw std::runtime_error("cannot run " + command);
    std::string result;
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) result.append(buffer, n);
    const int status = ::pclose(pipe);
    std::filesystem::remove(file);
    if (status != 0) throw std::runtime_error(command + " failed");
    return result;
}
