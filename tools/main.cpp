/// The `gemel` command: parses the command line and calls the command. Exit codes: 0 done, 1 failed, 2 wrong usage, 130
/// interrupted.
#include "bundle_command.hpp"
#include "commands.hpp"
#include "measure_commands.hpp"
#include "tune_command.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/version.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
    CLI::App app{"What gemel finds on this machine, its cache of compiled kernels, and kernels in either language."};
    app.name("gemel");
    app.set_version_flag("--version", "gemel " GEMEL_VERSION);
    app.require_subcommand(1);

    bool as_json = false;
    CLI::App* info = app.add_subcommand("info", "backends, devices, libraries, cache and environment: for bug reports");
    info->add_flag("--json", as_json, "the same, for programs");
    bool all_attributes = false;
    info->add_flag("--all", all_attributes, "also every attribute and extension that a driver tells");

    CLI::App* cache = app.add_subcommand("cache", "the compiled kernels on disk");
    cache->require_subcommand(1);
    CLI::App* list = cache->add_subcommand("ls", "list the entries, newest first");
    CLI::App* stat = cache->add_subcommand("stat", "folder, mode, entries and size");
    CLI::App* clear = cache->add_subcommand("clear", "remove every entry");

    std::string file, output_folder;
    std::vector<std::string> dialects, include_folders;
    CLI::App* translate =
        app.add_subcommand("translate", "print a portable kernel as a complete program of a language");
    translate->add_option("file", file, "a file with portable kernels, or - for standard input")->required();
    translate->add_option("--to", dialects, "cuda, opencl or both with a comma between")->required()->delimiter(',');
    translate->add_option("-o,--output", output_folder, "a folder for FILE.cu and FILE.cl, instead of standard output");
    translate->add_option("-I", include_folders, "a folder to search for what is included by \"name\"");
    const gemel::tools::BundleCommand bundle(app);
    const gemel::tools::TuneCommand tune(app);
    const gemel::tools::MeasureCommands measure(app);

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help_or_version) {
        return app.exit(help_or_version);
    } catch (const CLI::ParseError& error) {
        const std::vector<std::string> unknown = app.remaining(true);
        const std::string complaint = unknown.empty() ? error.what() : "unknown argument '" + unknown.front() + "'";
        std::fprintf(stderr, "gemel: %s; `gemel --help` lists the commands\n", complaint.c_str());
        return 2;
    }

    try {
        int code = 1;
        if (info->parsed()) code = gemel::tools::info(as_json, all_attributes);
        if (list->parsed()) code = gemel::tools::cache_list();
        if (stat->parsed()) code = gemel::tools::cache_stat();
        if (clear->parsed()) code = gemel::tools::cache_clear();
        if (translate->parsed()) code = gemel::tools::translate(file, dialects, output_folder, include_folders);
        if (bundle.is_parsed()) code = bundle.run();
        if (tune.is_parsed()) code = tune.run();
        if (measure.is_parsed()) code = measure.run();
        std::cout.flush();
        if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout))
            throw gemel::Error("cannot write to standard output");
        return code;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gemel: %s\n", error.what());
    }
    return 1;
}
