/// The command lines of `gemel bench` and `gemel replay`.
#pragma once

#include "commands.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace gemel::tools {

class MeasureCommands {
   public:
    explicit MeasureCommands(CLI::App& app);
    bool is_parsed() const { return bench_->parsed() || replay_->parsed(); }
    int run() const;

   private:
    CLI::App *bench_, *replay_;
    bool as_json_ = false;
    double seconds_ = 0.2;
    std::string folder_, device_;
};

}  // namespace gemel::tools
