"""Joins the figures of a grid (axes_grid, rows_grid, matmul_grid, sparse_grid) with those of its peers, prints tables in Markdown and judges them.

    grid_table.py FIGURES PEERS    files of JSON lines; ends with 1 if a cell takes more than 1.25 times what its peer takes"""
import json
import sys

LIMIT = 1.25
DEVICES = {"CUDA": "PyTorch", "NVIDIA's OpenCL": "PyTorch", "PoCL": "NumPy"}
SPARSE_PEERS = {"CUDA": "cuSPARSE", "NVIDIA's OpenCL": "cuSPARSE", "PoCL": "SciPy"}


def device_of(figure):
    if figure["device"].startswith("cuda"):
        return "CUDA"
    return "NVIDIA's OpenCL" if "NVIDIA" in figure["name"] else "PoCL"


def lines_of(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def summary(device, ratios):
    """What a reader wants to know first."""
    peer = DEVICES[device]
    past = sum(ratio > LIMIT for _, ratio in ratios)
    ahead = sum(ratio <= 1 for _, ratio in ratios)
    worst = sorted(ratios, key=lambda pair: -pair[1])[:10]
    return (f"{device}: {len(ratios)} cells, {ahead} at {peer}'s speed or faster, {past} above {LIMIT} of its time. "
            f"The slowest: " + "; ".join(f"{name} {ratio:.2f}" for name, ratio in worst) + ".")


def table(devices, figures, peers):
    """One row per cell, the devices that have the same peer side by side."""
    peer = DEVICES[devices[0]]
    head = ["cell"]
    unit, key = ("TFLOP/s", "tflop_per_s") if any("tflop_per_s" in f for d in devices for f in figures[d].values()) else ("GB/s", "gb_per_s")
    for device in devices:
        head += [f"{device} us", unit, f"/ {peer}"]
    rows = [head + [f"{peer} us"], ["---"] * (len(head) + 1)]
    for name in dict.fromkeys(name for device in devices for name in figures[device]):
        row, theirs = [name], peers.get((peer, name))
        for device in devices:
            figure = figures[device].get(name)
            if figure is None:
                row += ["", "", ""]
                continue
            ratio = f"{figure['us'] / theirs:.2f}" if theirs else ""
            marked = f"**{ratio}**" if theirs and figure["us"] > LIMIT * theirs else ratio
            row += [f"{figure['us']:.1f}", f"{figure[key]:.{2 if unit == 'TFLOP/s' else 0}f}", marked]
        rows.append(row + [f"{theirs:.1f}" if theirs else ""])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: grid_table.py AXES PEERS")
    figures = {}
    for figure in lines_of(sys.argv[1]):
        figures.setdefault(device_of(figure), {})[figure["cell"]] = figure
    peers = {(line["peer"], line["cell"]): line["us"] for line in lines_of(sys.argv[2])}
    if any(figure.get("format") for cells in figures.values() for figure in cells.values()):
        DEVICES.update(SPARSE_PEERS)
    if not figures:
        sys.exit(f"grid_table.py: {sys.argv[1]} has no figures")
    past = False
    for device in DEVICES:
        if device not in figures:
            continue
        both = [(name, figure["us"] / peers[DEVICES[device], name])
                for name, figure in figures[device].items() if (DEVICES[device], name) in peers]
        if both:
            print(summary(device, both) + "\n")
        else:
            print(f"{device}: {len(figures[device])} cells, {DEVICES[device]} is not there.\n")
        past = past or any(ratio > LIMIT for _, ratio in both)
    for peer in dict.fromkeys(DEVICES.values()):
        devices = [device for device in DEVICES if DEVICES[device] == peer and device in figures]
        if devices:
            print(table(devices, figures, peers) + "\n")
    sys.exit(1 if past else 0)


main()
