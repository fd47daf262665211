/// The command line of `gemel bundle`.
#pragma once

#include "commands.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace gemel::tools {

class BundleCommand {
   public:
    explicit BundleCommand(CLI::App& app);
    bool is_parsed() const { return bundle_->parsed(); }
    int run() const;

   private:
    CLI::App *bundle_, *list_, *merge_, *record_;
    std::string file_, architectures_;
    std::vector<std::string> bundles_, command_;
};

}  // namespace gemel::tools
