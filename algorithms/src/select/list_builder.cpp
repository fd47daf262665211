#include <gemel/algorithms/list_builder.hpp>

#include "select/selecting.hpp"
#include "select_kernels.hpp"

#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/codegen/identifier.hpp>
#include <gemel/codegen/snippet.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel {

using namespace selecting;

struct ListBuilderState {
    ListBuilderSpec spec;
    ElementwiseKernel count, fill;
    std::size_t arguments;  ///< the number that the specification declares
};

namespace {

template <class... Part>
[[noreturn]] void refuse(const ListBuilderSpec& spec, const Part&... parts) {
    throw ArgumentError(text("ListBuilder '", spec.name, "': ", parts...));
}

const ListSpec* find(const ListBuilderSpec& spec, std::string_view name) {
    const auto found =
        std::find_if(spec.lists.begin(), spec.lists.end(), [&](const auto& l) { return l.name == name; });
    return found == spec.lists.end() ? nullptr : &*found;
}

/// Bools and 16-bit floats are stored as integers with their bits.
DType stored_type(DType dtype) {
    if (dtype.kind() == DType::Kind::boolean) return dtype_of<std::uint8_t>();
    return dtype.is_16_bit_float() ? dtype_of<std::uint16_t>() : dtype;
}
std::string stored_value(DType dtype, const std::string& value) {
    if (dtype.kind() == DType::Kind::boolean) return value + " != 0";
    return dtype.is_16_bit_float() ? codegen::store_text(dtype, value) + ".bits" : value;
}

void check_list(const ListBuilderSpec& spec, const ListSpec& list) {
    if (const std::string why = codegen::why_no_name(list.name); !why.empty())
        refuse(spec, "the list's name '", list.name, "' ", why, "; choose another");
    if (find(spec, list.name) != &list) refuse(spec, "two lists are named '", list.name, "'; rename one");
    if (list.dtype.empty()) refuse(spec, "list '", list.name, "' has no dtype; give one, such as dtype_of<int>()");
    if (list.counts_of.empty()) return;
    const ListSpec* counted = find(spec, list.counts_of);
    if (!counted || counted == &list)
        refuse(spec, "list '", list.name, "' has the counts of '", list.counts_of, "', which is not another list");
    if (!counted->counts_of.empty())
        refuse(spec, "list '", list.name, "' has the counts of '", list.counts_of, "', which has the counts of '",
               counted->counts_of, "'; name '", counted->counts_of, "' instead");
}

/// The kernels' own names for each list: one of the user's would have another meaning.
void check_arguments(const ListBuilderSpec& spec) {
    for (const Parameter& p : parse_declarations(spec.arguments))
        for (const ListSpec& list : spec.lists)
            for (const char* own : {"append_", "count_", "counts_", "items_", "next_", "starts_"})
                if (p.name == own + list.name)
                    refuse(spec, "the argument '", p.name, "' has a name that the kernels use for the list '",
                           list.name, "'; rename it");
}

void check_spec(const ListBuilderSpec& spec) {
    if (const std::string why = codegen::why_no_name(spec.name); !why.empty())
        throw ArgumentError(text("ListBuilder: the name '", spec.name, "' ", why, "; choose another"));
    if (spec.lists.empty())
        refuse(spec, "the specification has no list; give one, such as {\"neighbour\", dtype_of<int>()}");
    const codegen::Snippet generate(spec.generate);
    if (generate.empty()) refuse(spec, "`generate` is empty; it calls append_", spec.lists[0].name, "(value)");
    for (const ListSpec& list : spec.lists) check_list(spec, list);
    check_arguments(spec);
    codegen::refuse_jumps(text("ListBuilder '", spec.name, "': generate"),
                          codegen::Snippet(text("do {\n", generate.text(), "\n} while (0)")), true);
}

bool is_counted(const ListSpec& list) { return list.counts_of.empty(); }

/// Runs the user's statements in their own loop, so that `continue` ends only them.
std::string generated(const ListBuilderSpec& spec) {
    return text("do {\n", codegen::Snippet(spec.generate).text(), ";\n} while (0);\n");
}

ElementwiseKernel count_kernel(const ListBuilderSpec& spec) {
    std::vector<Parameter> arguments;
    std::string macros, before, after;
    for (const ListSpec& list : spec.lists) {
        macros += is_counted(list)
                      ? text("#define append_", list.name, "(value) ((void)(value), ++count_", list.name, ")\n")
                      : text("#define append_", list.name, "(value) ((void)(value))\n");
        if (!is_counted(list)) continue;
        arguments.push_back(VectorArg(dtype_of<std::int32_t>(), "counts_" + list.name));
        before += text("int32_t count_", list.name, " = 0;\n");
        after += text("counts_", list.name, "[i] = count_", list.name, ";\n");
    }
    for (Parameter& p : parse_declarations(spec.arguments)) arguments.push_back(std::move(p));
    return ElementwiseKernel(std::move(arguments), before + generated(spec) + after, spec.name + "_count",
                             {.preamble = macros + spec.preamble, .compile = spec.compile});
}

ElementwiseKernel fill_kernel(const ListBuilderSpec& spec) {
    std::vector<Parameter> arguments;
    std::string macros, before;
    for (const ListSpec& list : spec.lists)
        if (is_counted(list)) arguments.push_back(VectorArg(dtype_of<std::int64_t>(), "starts_" + list.name, true));
    for (const ListSpec& list : spec.lists) {
        const DType stored = stored_type(list.dtype);
        macros += text("#define append_", list.name, "(value) (*next_", list.name,
                       "++ = ", stored_value(list.dtype, "(value)"), ")\n");
        arguments.push_back(VectorArg(stored, "items_" + list.name));
        before += text("GLOBAL_MEM ", stored.name(), " *next_", list.name, " = items_", list.name, " + starts_",
                       is_counted(list) ? list.name : list.counts_of, "[i];\n");
    }
    for (Parameter& p : parse_declarations(spec.arguments)) arguments.push_back(std::move(p));
    return ElementwiseKernel(std::move(arguments), before + generated(spec), spec.name + "_fill",
                             {.preamble = macros + spec.preamble, .compile = spec.compile});
}

/// The starts of the lists: a scan of their lengths.
const Scan& starts_scan() {
    static const auto& scan = *new Scan(
        parse_declarations("const int32_t *counts, int64_t *starts, int64_t *totals, int64_t slot"),
        dtype_of<std::int64_t>(),
        {.input_expr = "counts[i]",
         .scan_expr = "a + b",
         .output_statement = "starts[i + 1] = item;\nif (i == 0) starts[0] = 0;\nif (i == n - 1) totals[slot] = item",
         .name = "list_starts"});
    return scan;
}

/// The same for nonempty lists, and the indices of their objects.
const Scan& kept_scan() {
    static const auto& scan = *new Scan(
        parse_declarations("const int32_t *counts, const int64_t *starts, int64_t *kept_starts, int64_t *indices, "
                           "int64_t *totals, int64_t slot"),
        dtype_of<std::int64_t>(),
        {.input_expr = "counts[i] != 0",
         .scan_expr = "a + b",
         .output_statement = select_kernels::kept_lists().render(),
         .name = "kept_lists"});
    return scan;
}

/// One call.
class Building {
   public:
    Building(const ListBuilderState& state, std::int64_t count, std::span<const CallArgument> arguments)
        : state_(state), spec_(state.spec), count_(count), arguments_(arguments), context_(context_of(arguments)) {}

    std::map<std::string, BuiltList, std::less<>> run() {
        const auto slots = static_cast<std::int64_t>(2 * spec_.lists.size());
        totals_ = GPUArray<std::int64_t>(context_, Shape{slots});
        count();
        const std::vector<std::int64_t> totals = totals_.get();
        fill(totals);
        std::map<std::string, BuiltList, std::less<>> all;
        for (std::size_t k = 0; k < spec_.lists.size(); ++k) {
            const ListSpec& list = spec_.lists[k];
            const std::size_t c = counted_by(list);
            BuiltList& built = all[list.name];
            built.items = items_[k].dtype() == list.dtype ? items_[k] : items_[k].view_as(list.dtype);
            built.starts = starts_[c];
            if (!list.omit_empty) continue;
            const std::int64_t kept = totals[2 * k + 1];
            built.starts = kept_starts_[k](slice(0, kept + 1)).copy();
            built.indices = indices_[k](slice(0, kept)).copy();
        }
        return all;
    }

   private:
    static Context context_of(std::span<const CallArgument> arguments) {
        for (const CallArgument& argument : arguments)
            if (argument.array && !argument.array->empty()) return argument.array->context();
        return current_context();
    }
    /// The list that provides this one's counts and starts.
    std::size_t counted_by(const ListSpec& list) const {
        const ListSpec& counted = is_counted(list) ? list : *find(spec_, list.counts_of);
        return static_cast<std::size_t>(&counted - spec_.lists.data());
    }

    void count() {
        const std::size_t lists = spec_.lists.size();
        counts_.resize(lists), starts_.resize(lists), kept_starts_.resize(lists), indices_.resize(lists);
        std::vector<CallArgument> all;
        for (std::size_t k = 0; k < lists; ++k) {
            if (!is_counted(spec_.lists[k])) continue;
            counts_[k] = GPUArray<std::int32_t>(context_, Shape{count_});
            starts_[k] = GPUArray<std::int64_t>(context_, Shape{count_ + 1});
            all.emplace_back(counts_[k]);
        }
        all.insert(all.end(), arguments_.begin(), arguments_.end());
        state_.count.run({}, all);
        for (std::size_t k = 0; k < lists; ++k)
            if (is_counted(spec_.lists[k])) scan_starts(k);
        for (std::size_t k = 0; k < lists; ++k)
            if (spec_.lists[k].omit_empty) scan_kept(k);
    }

    void scan_starts(std::size_t k) {
        const auto slot = static_cast<std::int64_t>(2 * k);
        if (count_ == 0) {
            starts_[k].fill(0);
            totals_.fill(0);
            return;
        }
        starts_scan().run({}, std::array{CallArgument(counts_[k]), CallArgument(starts_[k]), CallArgument(totals_),
                                         CallArgument(slot)});
    }

    void scan_kept(std::size_t k) {
        const std::size_t c = counted_by(spec_.lists[k]);
        const auto slot = static_cast<std::int64_t>(2 * k + 1);
        kept_starts_[k] = GPUArray<std::int64_t>(context_, Shape{count_ + 1});
        indices_[k] = GPUArray<std::int64_t>(context_, Shape{count_});
        if (count_ == 0) return kept_starts_[k].fill(0);
        const AnyArray begins = starts_[c](slice(0, count_));
        kept_scan().run({}, std::array{CallArgument(counts_[c]), CallArgument(begins), CallArgument(kept_starts_[k]),
                                       CallArgument(indices_[k]), CallArgument(totals_), CallArgument(slot)});
    }

    void fill(const std::vector<std::int64_t>& totals) {
        std::vector<AnyArray> begins;
        std::vector<CallArgument> all;
        bool any = false;
        for (std::size_t k = 0; k < spec_.lists.size(); ++k)
            if (is_counted(spec_.lists[k])) begins.push_back(starts_[k](slice(0, count_)));
        for (const ListSpec& list : spec_.lists) {
            const std::int64_t total = totals[2 * counted_by(list)];
            items_.emplace_back(context_, stored_type(list.dtype), Shape{total});
            any |= total > 0;
        }
        if (!any) return;
        for (const AnyArray& array : begins) all.emplace_back(array);
        for (const AnyArray& array : items_) all.emplace_back(array);
        all.insert(all.end(), arguments_.begin(), arguments_.end());
        state_.fill.run({}, all);
    }

    const ListBuilderState& state_;
    const ListBuilderSpec& spec_;
    const std::int64_t count_;
    const std::span<const CallArgument> arguments_;
    const Context context_;
    GPUArray<std::int64_t> totals_;  ///< of each list: the number of items, and of objects that remain
    std::vector<GPUArray<std::int32_t>> counts_;
    std::vector<GPUArray<std::int64_t>> starts_, kept_starts_, indices_;
    std::vector<AnyArray> items_;
};

}  // namespace

ListBuilder::ListBuilder(ListBuilderSpec spec) {
    check_spec(spec);
    ElementwiseKernel count = count_kernel(spec), fill = fill_kernel(spec);
    const std::size_t arguments = parse_declarations(spec.arguments).size();
    state_ = std::make_shared<const ListBuilderState>(
        ListBuilderState{std::move(spec), std::move(count), std::move(fill), arguments});
}

Lists ListBuilder::run(const Stream& stream, std::int64_t count, std::span<const CallArgument> arguments) const {
    if (!state_) throw ArgumentError("ListBuilder: it was moved from; use the one that it was moved to");
    if (count < 0) refuse(state_->spec, count, " objects were requested, expected at least 0");
    if (arguments.size() != state_->arguments)
        refuse(state_->spec, "expected ", counted(state_->arguments, "argument"), " after the number of objects, got ",
               arguments.size(), ": ", state_->spec.arguments.empty() ? "none is declared" : state_->spec.arguments);
    const OnStream scope(stream);
    Lists lists;
    lists.lists_ = Building(*state_, count, arguments).run();
    return lists;
}

std::string ListBuilder::source(const Dialect& dialect, const std::map<std::string, DType>& types) const {
    if (!state_) throw ArgumentError("ListBuilder: it was moved from; use the one that it was moved to");
    return state_->count.source(dialect, types) + "\n" + state_->fill.source(dialect, types);
}

const BuiltList& Lists::operator[](std::string_view name) const {
    const auto found = lists_.find(name);
    if (found == lists_.end()) {
        std::string names;
        for (const auto& [known, list] : lists_) names += text(names.empty() ? "'" : ", '", known, "'");
        throw ArgumentError(text("Lists: there is no list '", name, "', only ", names));
    }
    return found->second;
}

}  // namespace gemel
