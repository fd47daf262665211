#include "tune/report.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <cmath>
#include <fstream>
#include <locale>
#include <sstream>

namespace gemel::tune {

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (code < 0x20 || c == '<') {  // "<" too, since reports are embedded in HTML pages
            const char* const digits = "0123456789abcdef";
            out += "\\u00";
            out += digits[code >> 4];
            out += digits[code & 15];
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string json_number(double value) {
    if (!std::isfinite(value)) return "null";
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.precision(9);
    out << value;
    return out.str();
}

std::string json_value(const codegen::Value& value) {
    if (value.is_bool()) return value.as_bool() ? "true" : "false";
    if (value.is_floating()) return json_number(value.as_floating());
    return value.is_integer() ? value.text() : json_string(value.text());
}

std::string json_point(const Point& point) {
    std::string out;
    for (const auto& [name, value] : point.values())
        out += text(out.empty() ? "" : ", ", json_string(name), ": ", json_value(value));
    return "{" + out + "}";
}

namespace {

/// The schema's word for the result of a trial.
const char* validity(const Trial& trial) {
    if (trial.milliseconds) return "correct";
    if (trial.failure.starts_with("does not compile")) return "compile";
    return trial.failure.starts_with("wrong result") ? "correctness" : "runtime";
}

}  // namespace

std::string t4_json(std::span<const Trial> trials) {
    std::string out = "{\"schema_version\": \"1.0.0\", \"results\": [";
    for (std::size_t k = 0; k < trials.size(); ++k) {
        const Trial& trial = trials[k];
        const std::string time = trial.milliseconds ? json_number(*trial.milliseconds) : std::string();
        const std::string measured =
            time.empty() ? "" : text("{\"name\": \"time\", \"value\": ", time, ", \"unit\": \"ms\"}");
        const std::string failure = time.empty() ? text(", \"failure\": ", json_string(trial.failure)) : "";
        out += text(k ? ",\n" : "\n", "  {\"configuration\": ", json_point(trial.point),
                    ", \"times\": {\"runtimes\": [", time, "]}, \"invalidity\": \"", validity(trial),
                    "\", \"correctness\": ", trial.failure.starts_with("wrong result") ? 0 : 1, ", \"measurements\": [",
                    measured, "], \"objectives\": [\"time\"]", failure, "}");
    }
    return out + "\n]}\n";
}

std::string Result::json() const { return t4_json(history); }

namespace {

void save(const std::filesystem::path& file, const std::string& contents) {
    std::ofstream out(file, std::ios::binary);
    out << contents;
    out.close();
    if (!out) throw Error(text("tune: cannot write ", file.string(), "; check the folder and its permissions"));
}

}  // namespace

void Result::save_json(const std::filesystem::path& file) const { save(file, json()); }
void Result::save_page(const std::filesystem::path& file) const { save(file, page()); }

}  // namespace gemel::tune
