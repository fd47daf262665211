#include "bundle_command.hpp"

namespace gemel::tools {

BundleCommand::BundleCommand(CLI::App& app)
    : bundle_(app.add_subcommand("bundle", "compiled programs in one file, for machines without a compiler")),
      list_(bundle_->add_subcommand("ls", "list the programs of a bundle")),
      merge_(bundle_->add_subcommand("merge", "write the programs of several bundles into one")),
      record_(bundle_->add_subcommand("record", "run a command and add what it compiles to a bundle")) {
    bundle_->require_subcommand(1);
    list_->add_option("file", file_, "a bundle")->required();
    merge_->add_option("output", file_, "the new bundle")->required();
    merge_->add_option("bundles", bundles_, "those to read")->required();
    record_->add_option("--architectures", architectures_, "CUDA: also for these, such as sm_80,compute_75");
    record_->add_option("file", file_, "the bundle to add to")->required();
    record_->add_option("command", command_, "the command and its arguments")->required();
    record_->prefix_command(false)->positionals_at_end();
}

int BundleCommand::run() const {
    if (list_->parsed()) return bundle_list(file_);
    if (merge_->parsed()) return bundle_merge(file_, bundles_);
    return bundle_record(file_, architectures_, command_);
}

}  // namespace gemel::tools
