#include "tune_command.hpp"

#include <gemel/core/error.hpp>

namespace gemel::tools {

TuneCommand::TuneCommand(CLI::App& app)
    : tune_(app.add_subcommand("tune",
                               "tune a kernel file that has its search space in comments; manage stored tunings")),
      list_(tune_->add_subcommand("ls", "list stored tunings, by device")),
      show_(tune_->add_subcommand("show", "print all trials of names that contain NAME")),
      export_(tune_->add_subcommand("export", "print one search as JSON in the T4 format")),
      clear_(tune_->add_subcommand("clear", "remove tunings whose name contains NAME, or all")) {
    show_->add_option("name", part_, "part of the name of a kernel or device")->required();
    export_->add_option("name", part_, "part of the name of a kernel or device")->required();
    clear_->add_option("name", part_, "part of the name of a kernel or device");
    tune_->require_subcommand(0, 1);
    tune_->add_option("file", file_, "a template of a kernel with lines \"// tune ...\" (docs/tuning.md)");
    tune_->add_option("--trials", options_.trials, "maximum number of trials");
    tune_->add_option("--seconds", options_.seconds, "maximum time in seconds");
    tune_->add_option("--strategy", options_.strategy, "neighbours, random or exhaustive");
    tune_->add_option("--seed", options_.seed, "seed of the search");
    tune_->add_option("--json", options_.json, "write all trials to this file, in the T4 format");
    tune_->add_option("--page", options_.page, "write a page with plots to this file");
    tune_->add_flag("--again", options_.again, "repeat trials that are stored");
}

int TuneCommand::run() const {
    if (list_->parsed()) return tune_list();
    if (show_->parsed()) return tune_show(part_);
    if (export_->parsed()) return tune_export(part_);
    if (clear_->parsed()) return tune_clear(part_);
    if (file_.empty()) throw Error("tune: give a kernel file, or ls, show, export or clear");
    return tune_file(file_, options_);
}

}  // namespace gemel::tools
