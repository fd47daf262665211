/// Bundles in memory: those in use, and those that record.
#include <gemel/core/bundle.hpp>

#include <gemel/core/environment.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/file_lock.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include "compile/bundle_state.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

namespace gemel {
namespace {

namespace fs = std::filesystem;

/// What the process uses and records. Never freed: static objects may compile at exit.
struct Process {
    std::mutex mutex;
    std::vector<std::shared_ptr<BundleState>> used;  ///< newest first
    std::vector<std::shared_ptr<BundleState>> recorders;
    std::set<std::pair<std::string, std::string>>
        filed;  ///< for GEMEL_BUNDLE_RECORD: key and target with the program's digest
};

Process& process() {
    static Process& instance = *new Process;
    return instance;
}

/// Loads GEMEL_BUNDLE once.
void use_named_bundle() {
    static const bool once = [] {
        if (const auto file = env::get("GEMEL_BUNDLE")) {
            const KernelBundle bundle = KernelBundle::load(*file);
            bundle.use();
        }
        return true;
    }();
    (void)once;
}

std::vector<std::string> named_architectures() {
    std::vector<std::string> all;
    std::string word;
    for (const char c : env::get("GEMEL_BUNDLE_ARCHITECTURES").value_or("") + ",") {
        if (c != ',' && c != ' ')
            word += c;
        else if (!word.empty())
            all.push_back(std::exchange(word, {}));
    }
    return all;
}

void refuse_folder(const char* who, const fs::path& file) {
    std::error_code failure;
    if (fs::is_directory(file, failure)) throw Error(text(who, ": ", file.string(), " is a folder; name a file"));
}

/// @throws Error if the file exists and is something else than a bundle
void refuse_other_files(const char* who, const fs::path& file) {
    refuse_folder(who, file);
    std::ifstream in(file, std::ios::binary);
    std::string first(bundle_magic.size(), '\0');
    in.read(first.data(), static_cast<std::streamsize>(first.size()));
    first.resize(static_cast<std::size_t>(in.gcount()));
    if (!first.empty() && first != bundle_magic)
        throw Error(text(who, ": ", file.string(),
                         " is not a bundle of this version of gemel, and it stays as it is; name another file"));
}

/// Whether the file has records already. What a writer that was killed has left behind the last whole one is removed.
bool has_records(const fs::path& file) {
    std::error_code failure;
    if (!fs::exists(file, failure) || fs::file_size(file, failure) == 0) return false;
    static std::set<fs::path> checked;  // under Process::mutex
    if (!checked.insert(file).second) return true;
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (const std::size_t whole = whole_records(bytes, file.string()); whole < bytes.size()) {
        logging::write(logging::Level::warn, "bundle",
                       text(file.string(), " is damaged or cut short after ", whole, " bytes; the rest is removed"));
        fs::resize_file(file, whole, failure);
    }
    return true;
}

/// Appends to the file, under a lock against other processes.
void append(const fs::path& file, const BundledProgram& program) {
    refuse_other_files("GEMEL_BUNDLE_RECORD", file);  // before the lock, which makes a file beside it
    const FileLock alone(file.string() + ".lock");
    const bool is_new = !has_records(file);
    std::ofstream out(file, std::ios::binary | std::ios::app);
    if (is_new) out << bundle_magic;
    out << bundle_record(program);
    out.flush();
    if (!out)
        logging::write(logging::Level::warn, "bundle",
                       text("cannot add '", program.name, "' to ", file.string(), ": ", std::strerror(errno)));
}

}  // namespace

void BundleState::add(BundledProgram program) {
    const std::lock_guard lock(mutex);
    auto& stored = programs[program.key][program.target];
    stored = std::move(program);
}

KernelBundle::KernelBundle() : state_(std::make_shared<BundleState>()) {}

KernelBundle KernelBundle::load(const fs::path& file) {
    refuse_folder("KernelBundle", file);
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (!in)
        throw Error(text("KernelBundle: cannot read ", file.string(), ": ", std::strerror(errno), "; check the path"));
    KernelBundle bundle;
    read_bundle(*bundle.state_, bytes, file.string());
    return bundle;
}

void KernelBundle::save(const fs::path& file) const {
    refuse_other_files("KernelBundle", file);
    const fs::path beside = file.string() + ".new";
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    out << bundle_magic;
    {
        const std::lock_guard lock(state_->mutex);
        for (const auto& [key, targets] : state_->programs)
            for (const auto& [target, program] : targets) out << bundle_record(program);
    }
    out.close();
    std::error_code failure;
    if (out) fs::rename(beside, file, failure);
    if (!out || failure)
        throw Error(text("KernelBundle: cannot write ", file.string(), ": ",
                         failure ? failure.message() : std::string(std::strerror(errno)),
                         "; check the folder and its permissions"));
}

void KernelBundle::merge(const KernelBundle& other) {
    if (other.state_ == state_) return;
    std::vector<BundledProgram> all;
    {
        const std::lock_guard lock(other.state_->mutex);
        for (const auto& [key, targets] : other.state_->programs)
            for (const auto& [target, program] : targets) all.push_back(program);
    }
    for (BundledProgram& program : all) state_->add(std::move(program));
}

void KernelBundle::use() const {
    Process& p = process();
    const std::lock_guard lock(p.mutex);
    std::erase(p.used, state_);
    p.used.insert(p.used.begin(), state_);
}

std::vector<KernelBundle::Entry> KernelBundle::entries() const {
    std::vector<Entry> all;
    const std::lock_guard lock(state_->mutex);
    for (const auto& [key, targets] : state_->programs)
        for (const auto& [target, program] : targets)
            all.push_back({program.name, program.dialect, target, program.program.size()});
    std::sort(all.begin(), all.end(),
              [](const Entry& a, const Entry& b) { return std::pair(a.name, a.target) < std::pair(b.name, b.target); });
    return all;
}

BundleRecorder::BundleRecorder(std::vector<std::string> architectures) {
    bundle_.state_->architectures = std::move(architectures);
    Process& p = process();
    const std::lock_guard lock(p.mutex);
    p.recorders.push_back(bundle_.state_);
}

BundleRecorder::~BundleRecorder() {
    Process& p = process();
    const std::lock_guard lock(p.mutex);
    std::erase(p.recorders, bundle_.state_);
}

std::vector<BundledProgram> find_bundled(const std::string& key, std::string_view dialect) {
    use_named_bundle();
    std::vector<BundledProgram> found;
    Process& p = process();
    const std::lock_guard lock(p.mutex);
    for (const auto& bundle : p.used) {
        const std::lock_guard bundle_lock(bundle->mutex);
        const auto targets = bundle->programs.find(key);
        if (targets == bundle->programs.end()) continue;
        for (const auto& [target, program] : targets->second)
            if (program.dialect == dialect) found.push_back(program);
    }
    return found;
}

bool anyone_records() {
    Process& p = process();
    const std::lock_guard lock(p.mutex);
    return !p.recorders.empty() || env::get("GEMEL_BUNDLE_RECORD").has_value();
}

std::vector<std::string> recorded_architectures() {
    std::vector<std::string> all;
    if (env::get("GEMEL_BUNDLE_RECORD")) all = named_architectures();
    Process& p = process();
    const std::lock_guard lock(p.mutex);
    for (const auto& recorder : p.recorders)
        all.insert(all.end(), recorder->architectures.begin(), recorder->architectures.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

void record_program(const BundledProgram& program) {
    const auto file = env::get("GEMEL_BUNDLE_RECORD");
    Process& p = process();
    const std::lock_guard lock(p.mutex);
    for (const auto& recorder : p.recorders) recorder->add(program);
    const std::string_view bytes(reinterpret_cast<const char*>(program.program.data()), program.program.size());
    if (!file) return;
    std::pair filed(program.key, program.target + digest(bytes));
    if (p.filed.contains(filed)) return;
    append(*file, program);
    p.filed.insert(std::move(filed));
}

}  // namespace gemel
