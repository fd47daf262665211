#include "measure_commands.hpp"

namespace gemel::tools {

MeasureCommands::MeasureCommands(CLI::App& app)
    : bench_(app.add_subcommand("bench", "what this machine's devices reach: launches, copies, bandwidth, arithmetic")),
      replay_(app.add_subcommand("replay", "repeat a call that Kernel::capture() or GEMEL_CAPTURE has written")) {
    bench_->add_flag("--json", as_json_, "the same, for programs");
    bench_->add_option("--seconds", seconds_, "for each figure, about (0.2)")->check(CLI::Range(0.001, 60.0));
    replay_->add_option("folder", folder_, "the folder of the call, with its call.txt")->required();
    replay_->add_option("--device", device_, "a device as `gemel info` calls it, such as opencl:0");
}

int MeasureCommands::run() const { return bench_->parsed() ? bench(as_json_, seconds_) : replay(folder_, device_); }

}  // namespace gemel::tools
