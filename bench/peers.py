#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares faultline with BookSim2 and CNSim on the same networks and loads, alternately, one core, CPU seconds.

usage: bench/peers.py FAULTLINE [--booksim PROGRAM] [--cnsim PROGRAM] [--repeats N]

PEERS.md says how to build them. Prints a Markdown table: medians over the repeats of the rates, and of the ratios
of consecutive runs; switches traversed per packet in both, which differ if the networks do.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile
from dataclasses import dataclass

PACKET_FLITS = 16

# The reference router (../shared/reference/booksim2.json). With these thresholds every run counts as converged after
# four sample periods; then all packets are drained.
BOOKSIM_ROUTER = f"""
packet_size = {PACKET_FLITS}; injection_rate_uses_flits = 1; vc_buf_size = 16; traffic = uniform;
vc_allocator = islip; sw_allocator = islip; alloc_iters = 1;
routing_delay = 1; vc_alloc_delay = 1; sw_alloc_delay = 1; st_final_delay = 1; credit_delay = 1;
input_speedup = 1; output_speedup = 1; internal_speedup = 1.0; use_noc_latency = 0;
sim_type = throughput; warmup_periods = 1; max_samples = 10;
warmup_thres = 10.0; acc_warmup_thres = 10.0; stopping_thres = 10.0; acc_stopping_thres = 10.0;
"""
BOOKSIM_PERIODS = 4

# CNSim raises the load by this until the network saturates; only the first load is measured.
CNSIM = f"""[Network]
topology = MultiChipTorus
routing_algorithm = CLUE
k_node = 4
k_chip = 8
buffer_size = {2 * PACKET_FLITS}
vc_number = 2
[Workload]
traffic = uniform
packet_length = {PACKET_FLITS}
[Simulation]
injection_increment = 0.08
simulation_time = 6000
timeout_threshold = 1000000000
timeout_limit = 1000000000
threads = 1
[Files]
output_file = /dev/null
log_file = /dev/null
"""


@dataclass
class Network:
    name: str
    topology: str  # faultline's
    routing: str
    vcs: int
    load: float
    cycles: int  # of faultline's run
    booksim: str
    terminals: int
    period: int  # of BookSim2


WORMHOLE = [
    Network("mesh 8x8, dimension order", "mesh radix=8x8", "dimension-order", 4, 0.3, 100_000,
            "topology = mesh; k = 8; n = 2; routing_function = dor;", 64, 2_000),
    Network("mesh 8x8, dimension order", "mesh radix=8x8", "dimension-order", 8, 0.3, 100_000,
            "topology = mesh; k = 8; n = 2; routing_function = dor;", 64, 2_000),
    Network("torus 32x32, minimal adaptive", "torus radix=32x32", "duato:adaptive_vcs=2", 4, 0.1, 5_000,
            "topology = torus; k = 32; n = 2; routing_function = min_adapt; wait_for_tail_credit = 1;", 1024, 200),
    Network("fat tree k=8 n=3, adaptive up", "fat-tree k=8 n=3", "nca-adaptive", 4, 0.4, 8_000,
            "topology = fattree; k = 8; n = 3; routing_function = anca;", 512, 300),
    Network("fat tree k=16 n=3, random up", "fat-tree k=16 n=3", "nca", 4, 0.4, 1_500,
            "topology = fattree; k = 16; n = 3; routing_function = nca;", 4096, 60),
]


def cpu_seconds_of(command, until=None):
    """Output and CPU seconds of a program; it is ended when a line holds `until`."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    lines = []
    for line in process.stdout:
        lines.append(line)
        if until and until in line:
            process.kill()
            break
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return "".join(lines), usage.ru_utime + usage.ru_stime


def number_after(text, label):
    return float(re.findall(re.escape(label) + r"\s*([0-9.e+-]+)", text)[-1])


def faultline(program, network, switching, hops, extra):
    """Hops a second of the simulation itself, switches a packet, and the engine that ran."""
    command = [program, "simulate", *network.topology.split(), "--routing", network.routing, "--switching", switching,
               "--packet-flits", str(PACKET_FLITS), "--load", str(network.load), "--cycles", str(network.cycles),
               "--json", *extra]
    answer = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)
    return answer[hops] / answer["seconds"], answer["hops_mean"], answer["engine"]


def booksim(program, network):
    """Flit-hops a second, and switches a packet. What a run of a few cycles takes is set-up and does not count."""

    def run(period):
        with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
            file.write(BOOKSIM_ROUTER + network.booksim +
                       f"num_vcs = {network.vcs}; injection_rate = {network.load}; sample_period = {period};\n")
            file.flush()
            text, seconds = cpu_seconds_of([program, file.name])
            return number_after(text, "Hops average ="), seconds

    _, setup = run(1)
    switches, seconds = run(network.period)
    flits = network.load * network.terminals * BOOKSIM_PERIODS * network.period  # all are delivered
    return flits * switches / (seconds - setup), switches


def cnsim(program):
    """Packet-hops a second, and switches a packet; half as many cycles again run for warm-up."""
    with tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
        file.write(CNSIM)
        file.flush()
        text, seconds = cpu_seconds_of([program, file.name], until="Internal Hops")
    links = sum(number_after(text, f"{hops} Hops:") for hops in ("Internal", "Parallel", "Serial", "Other"))
    return 1.5 * number_after(text, "Arrived:") * (links + 1) / seconds, links + 1


def row(name, peer, ours, theirs, repeats):
    """Measures in turns."""
    pairs = [(ours(), theirs()) for _ in range(repeats)]
    our_rate = statistics.median(mine[0] for mine, _ in pairs)
    their_rate = statistics.median(other[0] for _, other in pairs)
    ratios = sorted(mine[0] / other[0] for mine, other in pairs)
    (_, our_switches, engine), (_, their_switches) = pairs[-1]
    print(f"| {name} | {peer} | {their_switches:.2f} / {our_switches:.2f} | {their_rate / 1e6:.2f} "
          f"| {our_rate / 1e6:.2f} | {statistics.median(ratios):.1f} ({ratios[0]:.1f} … {ratios[-1]:.1f}) | {engine} |",
          flush=True)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("faultline")
    options.add_argument("--booksim")
    options.add_argument("--cnsim")
    options.add_argument("--repeats", type=int, default=5)
    asked = options.parse_args()
    print("| network, load | peer | switches a packet: peer / faultline | peer: million hops/s "
          "| faultline: million hops/s | times (least … most) | engine |")
    print("|---|---|---|---|---|---|---|")
    for network in WORMHOLE if asked.booksim else []:
        row(f"{network.name}, {network.vcs} VCs, {network.load}", "BookSim2",
            lambda: faultline(asked.faultline, network, "wormhole", "flit_hops",
                              ["--vcs", str(network.vcs), "--traffic", "uniform-self"]),
            lambda: booksim(asked.booksim, network), asked.repeats)
    if asked.cnsim:
        torus = Network("torus 32x32, adaptive", "torus radix=32x32", "duato:adaptive_vcs=1", 2, 0.08, 10_000, "", 1024,
                        0)
        row(f"{torus.name}, {torus.vcs} VCs, {torus.load}", "CNSim",
            lambda: faultline(asked.faultline, torus, "vct", "packet_hops", []), lambda: cnsim(asked.cnsim),
            asked.repeats)


if __name__ == "__main__":
    main()
