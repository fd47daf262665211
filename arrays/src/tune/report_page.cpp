#include "tune/report.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::tune {
namespace {

const char* const page_style = R"(<style>
body { font: 15px sans-serif; margin: 2em auto; max-width: 60em; color: #222; }
svg { background: #fafafa; border: 1px solid #ddd; }
table { border-collapse: collapse; margin: 1em 0; }
td, th { padding: .2em .7em; text-align: right; border: 1px solid #ddd; }
td.failed { color: #a00; text-align: left; }
.axis { font-size: 12px; fill: #555; }
</style>)";

/// Draws from `report`: {parameters: [{name, values}], trials: [{point, time, failure}]}. The times of trials with the
/// best so far, and the best time for each pair of values of two parameters.
const char* const page_script = R"(<script>
const good = report.trials.filter(t => t.time !== null);
const low = Math.min(...good.map(t => t.time)), high = Math.max(...good.map(t => t.time));
const shown = t => t >= 100 ? t.toFixed(0) : t.toPrecision(3);
function svg(parent, name, attributes, text) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== undefined) e.textContent = text;
  parent.appendChild(e);
  return e;
}
function trials() {
  const s = document.getElementById('trials'), w = 860, h = 300, left = 70, bottom = 40;
  const span = Math.log(high / low) || 1;
  const x = k => left + (w - left - 20) * k / Math.max(report.trials.length - 1, 1);
  const y = t => 15 + (h - bottom - 15) * (1 - Math.log(t / low) / span);
  for (let i = 0; i <= 4; ++i) {
    const t = low * Math.exp(span * i / 4);
    svg(s, 'line', {x1: left, x2: w - 20, y1: y(t), y2: y(t), stroke: '#e4e4e4'});
    svg(s, 'text', {x: left - 8, y: y(t) + 4, 'text-anchor': 'end', class: 'axis'}, shown(t) + ' ms');
  }
  svg(s, 'text', {x: w / 2, y: h - 8, 'text-anchor': 'middle', class: 'axis'}, 'trial');
  let best = Infinity, line = '';
  report.trials.forEach((t, k) => {
    const words = Object.entries(t.point).map(([n, v]) => n + '=' + v).join(' ');
    if (t.time !== null && t.time < best) best = t.time;
    if (best < Infinity) line += (line ? ' ' : '') + x(k) + ',' + y(best);
    const dot = svg(s, 'circle', {cx: x(k), cy: t.time === null ? h - bottom + 8 : y(t.time), r: 4,
                                  fill: t.time === null ? '#c33' : '#37c', 'fill-opacity': .7});
    svg(dot, 'title', {}, words + ': ' + (t.time === null ? t.failure : shown(t.time) + ' ms'));
  });
  svg(s, 'polyline', {points: line, fill: 'none', stroke: '#e80', 'stroke-width': 2});
}
function map() {
  const a = report.parameters[document.getElementById('down').value];
  const b = report.parameters[document.getElementById('across').value];
  const table = document.getElementById('map');
  table.textContent = '';
  const head = table.insertRow();
  head.insertCell().textContent = a.name + ' \\ ' + b.name;
  for (const v of b.values) head.insertCell().textContent = v;
  for (const u of a.values) {
    const row = table.insertRow();
    row.insertCell().textContent = u;
    for (const v of b.values) {
      const times = good.filter(t => t.point[a.name] === u && t.point[b.name] === v).map(t => t.time);
      const cell = row.insertCell();
      if (!times.length) continue;
      const t = Math.min(...times), share = Math.log(t / low) / (Math.log(high / low) || 1);
      cell.textContent = shown(t);
      cell.style.background = 'hsl(' + (120 - 120 * share) + ', 65%, 75%)';
    }
  }
}
for (const id of ['down', 'across']) {
  const select = document.getElementById(id);
  report.parameters.forEach((p, k) => select.add(new Option(p.name, k)));
  select.value = id === 'across' && report.parameters.length > 1 ? 1 : 0;
  select.onchange = map;
}
trials();
map();
</script>)";

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
}

std::string page_data(const Result& result) {
    std::string parameters, trials;
    for (const Parameter& parameter : result.parameters) {
        std::string values;
        for (const codegen::Value& value : parameter.values)
            values += text(values.empty() ? "" : ", ", json_value(value));
        parameters += text(parameters.empty() ? "" : ", ", "{\"name\": ", json_string(parameter.name),
                           ", \"values\": [", values, "]}");
    }
    for (const Trial& trial : result.history)
        trials += text(trials.empty() ? "\n" : ",\n", "{\"point\": ", json_point(trial.point),
                       ", \"time\": ", trial.milliseconds ? json_number(*trial.milliseconds) : "null",
                       ", \"failure\": ", json_string(trial.failure), "}");
    return "{\"parameters\": [" + parameters + "], \"trials\": [" + trials + "]}";
}

std::string trial_table(const Result& result) {
    std::vector<Trial> trials = result.history;
    std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) {
        return a.milliseconds.value_or(1e300) < b.milliseconds.value_or(1e300);
    });
    std::string out = "<table><tr>";
    for (const Parameter& parameter : result.parameters) out += "<th>" + escaped(parameter.name) + "</th>";
    out += "<th>ms</th></tr>\n";
    for (const Trial& trial : trials) {
        out += "<tr>";
        for (const auto& [name, value] : trial.point.values()) out += "<td>" + escaped(value.text()) + "</td>";
        out += trial.milliseconds ? "<td>" + json_number(*trial.milliseconds) + "</td>"
                                  : "<td class=\"failed\">" + escaped(trial.failure) + "</td>";
        out += "</tr>\n";
    }
    return out + "</table>\n";
}

}  // namespace

std::string Result::page() const {
    return text("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Tuning of ", escaped(name),
                "</title>\n", page_style, "</head><body>\n<h1>Tuning of ", escaped(name), "</h1>\n<p>", escaped(device),
                ". Fastest: <b>", escaped(to_string(point)), "</b>, ", json_number(milliseconds), " ms; at the start ",
                json_number(start_milliseconds), " ms. ", counted(history.size(), "point"), " of ", points,
                " tried; ended after: ", escaped(stopped),
                ".</p>\n<h2>Trials</h2>\n<svg id=\"trials\" width=\"860\" height=\"300\"></svg>\n"
                "<h2>Best times for two parameters</h2>\n<p><select id=\"down\"></select> down, "
                "<select id=\"across\"></select> across</p>\n<table id=\"map\"></table>\n<h2>All trials</h2>\n",
                trial_table(*this), "<script>const report = ", page_data(*this), ";</script>\n", page_script,
                "\n</body></html>\n");
}

}  // namespace gemel::tune
