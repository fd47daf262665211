/// A profile as Chrome's trace events: JSON that chrome://tracing and Perfetto open.
#include "profile/collector.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace gemel::profile {
namespace {

/// The number of bytes of well-formed UTF-8 at this position; 0 if it is not well-formed.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xC2 ? 0
                               : first < 0xE0 ? 2
                               : first < 0xF0 ? 3
                               : first < 0xF5 ? 4
                                              : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    const bool refused = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
                         (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
    return refused ? 0 : length;
}

class Json {
   public:
    void string(std::string_view text) {
        out_ += '"';
        while (!text.empty()) {
            const std::size_t length = utf8_length(text);
            const char c = text.front();
            if (length == 0) {
                out_ += "\\ufffd";
            } else if (length == 1 && (c == '"' || c == '\\')) {
                out_ += '\\';
                out_ += c;
            } else if (length == 1 && static_cast<unsigned char>(c) < 0x20) {
                constexpr char digits[] = "0123456789abcdef";
                out_ += "\\u00";
                out_ += digits[c >> 4];
                out_ += digits[c & 15];
            } else {
                out_ += text.substr(0, length);
            }
            text.remove_prefix(std::max<std::size_t>(length, 1));
        }
        out_ += '"';
    }
    /// Three decimals, independent of the locale.
    void number(double value) {
        char digits[400];
        const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 3);
        out_.append(digits, error == std::errc() ? end : digits);
    }
    void number(std::uint64_t value) { out_ += std::to_string(value); }
    void raw(std::string_view text) { out_ += text; }

    template <class Value>
    void member(std::string_view name, const Value& value) {
        if (out_.back() != '{') out_ += ',';
        string(name);
        out_ += ':';
        if constexpr (std::is_arithmetic_v<Value>) {
            if constexpr (std::is_integral_v<Value>)
                number(static_cast<std::uint64_t>(value));
            else
                number(value);
        } else {
            string(value);
        }
    }
    void begin(std::string_view phase, std::string_view name, std::size_t process, std::size_t thread) {
        raw(first_ ? "\n{" : ",\n{");
        first_ = false;
        member("ph", phase);
        member("name", name);
        member("pid", process);
        member("tid", thread);
    }
    void begin_arguments() { raw(",\"args\":{"); }
    void end_arguments() { raw("}"); }
    void end() { raw("}"); }
    std::string take() { return std::move(out_); }

   private:
    std::string out_;
    bool first_ = true;
};

constexpr std::size_t host = 1;
std::size_t process_of(std::size_t context) { return context + 2; }
std::size_t thread_of(const HostSpan& span) { return 2 * span.thread + (span.is_compilation ? 2 : 1); }

const char* category(Command::Kind kind) {
    switch (kind) {
        case Command::Kind::launch: return "kernel";
        case Command::Kind::graph: return "graph";
        case Command::Kind::fill: return "fill";
        default: return "copy";
    }
}

void name_row(Json& json, const char* what, std::size_t process, std::size_t thread, const std::string& name) {
    json.begin("M", what, process, thread);
    json.begin_arguments();
    json.member("name", name);
    json.end_arguments();
    json.end();
}

std::string dimensions(const std::array<std::uint32_t, 3>& d) {
    std::string all = std::to_string(d[0]);
    if (d[1] != 1 || d[2] != 1) all += " x " + std::to_string(d[1]);
    if (d[2] != 1) all += " x " + std::to_string(d[2]);
    return all;
}

void write_command(Json& json, const Command& c, const Row& row, double start_us, double end_us) {
    json.begin(c.timed ? "X" : "i", c.name, process_of(row.context), c.row + 1);
    json.member("cat", std::string_view(category(c.kind)));
    json.member("ts", start_us);
    if (c.timed)
        json.member("dur", end_us - start_us);
    else
        json.member("s", std::string_view("t"));
    json.begin_arguments();
    if (c.kind == Command::Kind::launch) {
        json.member("grid", dimensions(c.grid));
        json.member("block", dimensions(c.block));
    }
    if (c.bytes) json.member("bytes", c.bytes);
    json.member("enqueued at us", c.enqueued_us);
    json.member("enqueuing took us", c.enqueue_duration_us);
    if (!c.timed) json.member("device time", std::string_view("not known"));
    json.end_arguments();
    json.end();
}

/// Events by row and start. No timed event begins before the end of the previous one, even after rounding.
void write_commands(Json& json, const std::deque<Command>& commands, const std::deque<Row>& rows,
                    const std::deque<ContextClock>& contexts) {
    const auto start_of = [&](const Command& c) {
        return c.timed ? c.start_us + contexts[rows[c.row].context].offset_us : c.enqueued_us;
    };
    std::vector<const Command*> sorted;
    for (const Command& command : commands) sorted.push_back(&command);
    std::stable_sort(sorted.begin(), sorted.end(), [&](const Command* a, const Command* b) {
        return a->row != b->row ? a->row < b->row : start_of(*a) < start_of(*b);
    });
    // In whole nanoseconds, as printed, so that start plus duration is exactly the end.
    std::int64_t previous_end = 0;
    std::size_t row = none;
    for (const Command* c : sorted) {
        if (c->row != row) previous_end = 0;
        row = c->row;
        const auto nanoseconds = [](double us) { return static_cast<std::int64_t>(us * 1000 + 0.5); };
        std::int64_t start = nanoseconds(std::max(start_of(*c), 0.0));
        if (c->timed) start = std::max(start, previous_end);
        const std::int64_t end = start + nanoseconds(c->duration_us);
        if (c->timed) previous_end = end;
        write_command(json, *c, rows[row], 1e-3 * static_cast<double>(start), 1e-3 * static_cast<double>(end));
    }
}

void write_spans(Json& json, const std::deque<HostSpan>& spans) {
    std::vector<std::size_t> named;
    for (const HostSpan& span : spans) {
        const std::size_t thread = thread_of(span);
        if (std::find(named.begin(), named.end(), thread) == named.end()) {
            named.push_back(thread);
            name_row(json, "thread_name", host, thread,
                     (span.is_compilation ? "compilations, thread " : "ranges, thread ") + std::to_string(span.thread));
        }
        json.begin("X", span.is_compilation ? "compile " + span.name : span.name, host, thread);
        json.member("cat", std::string_view(span.is_compilation ? "compile" : "range"));
        json.member("ts", span.begin_us);
        json.member("dur", std::max(span.end_us - span.begin_us, 0.0));
        json.begin_arguments();
        if (span.is_compilation) json.member("program", std::string_view(span.outcome));
        json.end_arguments();
        json.end();
    }
}

void write_samples(Json& json, const std::vector<Sample>& samples) {
    for (const Sample& s : samples) {
        const bool programs = s.of == Sample::Of::programs;
        json.begin("C", programs ? "programs" : "device memory", process_of(s.context), 0);
        json.member("ts", s.at_us);
        json.begin_arguments();
        json.member(programs ? "compiled" : "in use", s.values[0]);
        json.member(programs ? "found on disk" : "free in the pool", s.values[1]);
        if (programs) json.member("found in memory", s.values[2]);
        json.end_arguments();
        json.end();
    }
}

}  // namespace

std::string Collector::trace() {
    std::lock_guard lock(mutex_);
    Json json;
    json.raw("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    name_row(json, "process_name", host, 0, "host");
    for (std::size_t i = 0; i < contexts_.size(); ++i)
        name_row(json, "process_name", process_of(i), 0, contexts_[i].description);
    for (std::size_t i = 0; i < rows_.size(); ++i)
        name_row(json, "thread_name", process_of(rows_[i].context), i + 1, rows_[i].name);
    write_spans(json, spans_);
    write_samples(json, samples_);
    write_commands(json, commands_, rows_, contexts_);
    json.raw("\n]}\n");
    return json.take();
}

}  // namespace gemel::profile
