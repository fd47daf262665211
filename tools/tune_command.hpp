/// The command line of `gemel tune`.
#pragma once

#include "commands.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace gemel::tools {

class TuneCommand {
   public:
    explicit TuneCommand(CLI::App& app);
    bool is_parsed() const { return tune_->parsed(); }
    int run() const;

   private:
    CLI::App *tune_, *list_, *show_, *export_, *clear_;
    std::string part_, file_;
    TuneFileOptions options_;
};

}  // namespace gemel::tools
