// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/simulate.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/number.h"
#include "faultline/fault/process.h"
#include "faultline/results/json.h"
#include "faultline/routing/kind.h"
#include "faultline/simulate/channel_load.h"
#include "faultline/simulate/clock.h"
#include "faultline/simulate/ideal.h"
#include "faultline/simulate/recovery.h"
#include "faultline/simulate/replications.h"
#include "faultline/simulate/run_length.h"
#include "faultline/simulate/saturation.h"
#include "faultline/study/answer.h"
#include "faultline/study/case.h"
#include "study/agent_options.h"
#include "study/deadlock_guard.h"
#include "study/fault_options.h"
#include "study/injection_options.h"
#include "study/outage_notes.h"
#include "study/packet_mix.h"
#include "study/relation_output.h"
#include "study/rerouting.h"
#include "study/simulate_text.h"
#include "study/switching_field.h"
#include "study/switching_options.h"
#include "study/work_sizes.h"

namespace faultline::verbs {
namespace {

using Json = nlohmann::ordered_json;

struct SimulateVerb : StaticFaultOptions, SwitchOptions {
  std::optional<double> load;
  bool find_saturation = false;
  Nested<PatternKind> traffic{"uniform", {}};
  std::string injection = "bernoulli";
  double burst_packets = 8;
  std::string packet_flits = "128";
  std::string switching = "vct";
  std::optional<Nested<SelectionKind>> selection;
  std::optional<Nested<AgentKind>> agent;
  std::uint32_t agent_reaction = 0;
  std::vector<std::string> watch;
  std::uint32_t control_flits = 1;
  std::string control_buffers = "own";
  std::uint64_t cycles = 0;
  std::string warmup = "auto";
  std::uint64_t packets_per_source = 0;
  double interval_width = 0;
  std::uint32_t replications = 1;
  bool channel_load = false;
  double ideal_gap = 0.01;
  std::optional<InputFile> schedule;
  std::optional<Nested<FaultProcessKind>> fault_process;
  std::optional<std::string> schedule_out;
  std::string on_failure = "complete";
  std::optional<std::uint64_t> reroute_after;
  bool reroute_stops = false;
  std::optional<std::string> relation_out;
  bool force = false;
  std::uint64_t seed = 1;

  static constexpr bool threads_share_a_run = true;

  static void fields(auto& field) {
    using V = SimulateVerb;
    field("load", &V::load, between(0.0001, 16),
          "offered load in flits/cycle/terminal: 0.3 or 0.05..1.0:0.05 (the last value is included if the "
          "steps reach it)");
    field("find-saturation", &V::find_saturation, {},
          "instead of a load: search for the load at which the network saturates, to within 1 %; chance may "
          "move it by up to 3 %, or 6 % where a few of many sources are the bottleneck; without cycles, the "
          "search is repeated with longer runs until the load changes by at most 3 %");
    field("traffic", &V::traffic, nested().written_out(), "pattern, with parameters: hot-spot:share=0.15");
    field("injection", &V::injection, one_of({"bernoulli", "bursty", "constant"}),
          "when a source generates packets");
    field("burst-packets", &V::burst_packets, between(1, 1e6), "bursty: mean number of packets in a burst");
    field("packet-flits", &V::packet_flits, any_text(),
          "flits in a packet: 128, or sizes with their shares of the packets: 8:0.5,128:0.4 (weights, which "
          "need not add up to 1)");
    switching_field<V>(field);
    field("selection", &V::selection, nested().written_out(), "selection function (default: the routing's)");
    field("agent", &V::agent, nested().or_word("none").written_out(),
          "vct: how sources choose among the routing's injection options from what they learn, with "
          "parameters (default: the routing's)");
    field("watch", &V::watch, any_text(),
          "SOURCE,DESTINATION: names of two terminals whose open paths are reported and drawn; with "
          "replications, those of the first run");
    field("agent-reaction", &V::agent_reaction, between(0, max_delay_cycles),
          "with an agent: cycles from an acknowledgement or notification to the first packet that the source "
          "sends accordingly");
    field("control-flits", &V::control_flits, between(1, max_flits_asked_for),
          "with an agent: flits in an acknowledgement or a notification");
    field(
        "control-buffers", &V::control_buffers, one_of({"own", "shared"}),
        "with an agent: acknowledgements and notifications wait in a lane of their own at each input, or in "
        "the buffers of the virtual channels");
    SwitchOptions::fields(field);
    field("cycles", &V::cycles, between(0, max_cycles),
          "length of the run in cycles, warm-up included; 0: chosen from the packet length");
    field("warmup", &V::warmup, any_text(),
          "cycles at the beginning that are not measured (with a stop rule: rounded up to a multiple of 60), "
          "or auto: found from the run");
    field("packets-per-source", &V::packets_per_source, at_least(0),
          "stop once this many packets of every source are delivered, after a given warm-up; 0: no limit");
    field(
        "interval-width", &V::interval_width, between(0, 0.5),
        "stop when the 95 % interval of the mean latency is within this fraction of the mean, such as "
        "0.02, or the network is saturated; 0: no such limit. Stopping at the first interval that is narrow "
        "enough makes wide ones (0.1) too optimistic: they cover the mean in fewer than 95 % of runs");
    field(
        "replications", &V::replications, between(1, 10'000),
        "runs with different random traffic, in parallel; intervals are over the runs, p50 and p99 are "
        "means. "
        "Faults, hot spots and permutations are drawn once, with the seed, and are the same in all of them");
    field("channel-load", &V::channel_load, {},
          "report the flits per cycle that channels were granted, control packets included: mean, maximum "
          "and the busiest channels. A packet counts as soon as it is granted: where few of them fill a run, "
          "a channel may show more than 1");
    field(
        "ideal-gap", &V::ideal_gap, between(0.0001, 1),
        "relative gap to aim at between ideal_throughput, an upper bound for any choice of paths (a maximum "
        "concurrent flow over all paths that the routing admits), and ideal_throughput_reached, which some "
        "choice reaches, if the network is too large for a linear program; the search ends after seconds at "
        "0.01, and ten times later at 0.001; even_split_throughput is for every choice split evenly");
    StaticFaultOptions::fields(field);
    field("schedule", &V::schedule, file_path(),
          "dynamic faults: lines cycle,down|up,name of a channel, link, switch or terminal; packets at a "
          "switch wait for channels that come up again; those that nothing can lead on are dropped");
    field("fault-process", &V::fault_process, nested().written_out(),
          "dynamic faults drawn with the seed, with parameters: transient:rate=1e-7,repair=2000");
    field("schedule-out", &V::schedule_out, output_path(),
          "write the drawn faults to this file, in the format of a schedule");
    field("on-failure", &V::on_failure, one_of({"complete", "drop"}),
          "dynamic faults: what happens to a packet on a channel that goes down; one that is dropped is "
          "counted when its tail would have arrived");
    field("reroute-after", &V::reroute_after, between(0, max_cycles),
          "cycles from each failure or repair until recomputed forwarding tables are installed everywhere; "
          "without it only the switches next to a dead channel know of it. Packets of old and new tables may "
          "deadlock together although each set of tables is free of deadlock");
    field("reroute-stops", &V::reroute_stops, {},
          "sources send nothing from each failure or repair until the new tables are installed");
    field("relation-out", &V::relation_out, output_path(), relation_out_help);
    field("force", &V::force, {},
          "run a routing and selection function even if they are not proved free of deadlock together, with "
          "a warning");
    field("seed", &V::seed, at_least(0), "seed of the traffic and the faults");
  }
  static std::vector<SimulateVerb> samples() {
    SimulateVerb sample;
    sample.load = 0.1;
    return {sample};
  }

  /// Checks that need no network.
  void check(const Description& given) const {
    const bool is_trace = traffic.resolved.kind().is_trace;
    check_load(given, is_trace);
    check_switching_options(*this, given);
    (void)parse_packet_mix(packet_flits, given.path_of("packet-flits"));
    check_faults(given, {.in_time = fails_in_time(), .rerouted = reroute_after.has_value()});
    check_warmup(given);
    check_pipeline(given);
    check_faults_in_time(given, is_trace);
  }

  [[nodiscard]] WorkEstimate estimate(const CaseContext& context) const {
    const RoutingKind& kind = context.routing.kind();
    const Knowledge known = knowledge_asked(kind, context.options);
    require_room_for_tables(context);
    WorkEstimate estimate = runs_estimate(context);
    const bool rules_out =
        (faults != "0" || reroute_after) && known != Knowledge::none() && known != Knowledge::neighbours();
    if (!rules_out && !tolerated_only && !relation_out) return estimate;
    const RelationSize size = relation_size(context);
    if (rules_out || tolerated_only) estimate = estimate + enumeration_with_faults(size, 1);
    return relation_out ? estimate + writing(size) : estimate;
  }

  [[nodiscard]] Answer run(const CaseContext& context) const {
    const Setting setting = setting_of(context);
    Answer answer = simulated(*setting.relation, *setting.pattern, setting.spec, context);
    add(setting, context, answer);
    return answer;
  }

  static std::string text(std::span<const Case> cases, std::span<const Json> results) {
    return simulate_text(cases, results);
  }

 private:
  /// What is simulated.
  struct Setting {
    ChosenFaults chosen;
    Knowledge known;
    Damage damage;
    PatternPtr pattern;
    RelationPtr relation;
    SimulationSpec spec;
    std::optional<FaultHistory> drawn;
    std::optional<std::string> unproved;  ///< why it is not known to be free of deadlock
    std::size_t without_effect = 0;       ///< outages of channels that are dead in the whole run
  };

  [[nodiscard]] Setting setting_of(const CaseContext& context) const {
    const RoutingKind& kind = context.routing.kind();
    const Knowledge known = knowledge_asked(kind, context.options);
    const SourceRole role = source_asked(kind, context.options);
    ChosenFaults chosen = choose(context.topology, context.routing, switching_named(switching), seed,
                                 context.options, context.stop);
    PatternPtr pattern = build_pattern(*context.topology, seed, traffic.resolved);
    SimulationSpec asked = spec(context);
    std::optional<FaultHistory> drawn = drawn_faults(context, asked);
    if (drawn) asked.faults.outages = fault_schedule(*drawn);
    const std::size_t without_effect =
        std::erase_if(asked.faults.outages, [&](const Outage& o) { return chosen.set.failed(o.channel); });
    const bool sources_learn = learns(asked) && known == Knowledge::neighbours();
    if (sources_learn && source) refuse_plan_beside_agent(*source, context.options);
    Damage damage{
        sources_learn ? add_from_the_start(*context.topology, chosen.set, asked.faults.outages) : chosen.set,
        known_of_dead(chosen.set, known, fails_in_time() && !reroute_after), role};
    RelationPtr relation =
        build_relation(context.topology, damage, context.routing, switching_named(switching));
    asked.faults.dead = chosen.set;
    asked.threads = context.threads_a_run;
    asked.stop = context.stop;
    if (known.is_none() && !chosen.set.empty() && !is_computed_anew(kind.survival, known, role))
      asked.faults.unseen = chosen.set;
    if (reroute_after)
      asked.faults.reroutings =
          rerouted({context.topology, relation, context.routing, damage, switching_named(switching)},
                   asked.faults.outages, context.options);
    if (reroute_stops) asked.faults.pauses = pauses_before(asked.faults.reroutings, *reroute_after);
    const SimulatedPair pair{
        *relation,       damage.dead,       std::string(kind.info.name),     name_of_selection(kind),
        asked.selection, asked.switching(), fails_in_time() || sources_learn};
    std::optional<std::string> unproved =
        unproved_while_rerouted(pair, damage, asked, reroute_after.value_or(0));
    if (unproved && !force)
      throw Error(context.options.path_of("selection"), name_of_selection(kind),
                  *unproved + "; choose another selection or routing, or use force");
    if (!unproved && !asked.faults.outages.empty()) unproved = unproved_while_channels_fail(pair);
    return {std::move(chosen),   known,
            std::move(damage),   std::move(pattern),
            std::move(relation), std::move(asked),
            std::move(drawn),    std::move(unproved),
            without_effect};
  }

  /// What the answer says besides the figures of the run.
  void add(const Setting& setting, const CaseContext& context, Answer& answer) const {
    Json& json = answer.json;
    if (load) json["load"] = *load;
    json["routing"] = to_compact(context.routing);
    json["sending_fraction"] = sending_fraction(*setting.pattern, *context.topology);
    const FaultsInTime& faults_in_time = setting.spec.faults;
    json.update(
        to_json(faults_in_time.unseen  // packets are lost on the way: there is no useful bound
                    ? std::nullopt
                    : ideal_throughput(*setting.relation, *setting.pattern,
                                       {.gap = ideal_gap,
                                        .channels_fail = fails_in_time() || !faults_in_time.outages.empty(),
                                        .sources_choose = learns(setting.spec)})));
    if (find_saturation)
      if (const auto remark = saturation_remark(json)) json["saturation"]["remark"] = *remark;
    report_relation(
        *build_offered_relation(context.topology, setting.damage, context.routing, switching_named(switching))
             .relation,
        context.routing.kind(), relation_out, context.options.path_of("relation-out"), answer);
    if (schedule_out)
      answer.files.push_back(
          {context.options.path_of("schedule-out"), *schedule_out,
           fault_schedule_text(*setting.drawn, fault_process->text + ", seed " + std::to_string(seed) +
                                                   ", of " + context.topology->name())});
    if (!setting.chosen.names.empty()) {
      json["knowledge"] = to_string(setting.known);
      json["source"] = to_string(setting.damage.source);
      json["failed"] = setting.chosen.names;
    }
    if (const auto remark = remark_on(setting.chosen)) json["notes"].push_back(*remark);
    for (const std::string& note :
         notes_on_outages({schedule.has_value(), setting.drawn.has_value(),
                           setting.spec.faults.outages.size(), setting.without_effect}))
      json["notes"].push_back(note);
    if (setting.spec.injection.process == Injection::constant && replications == 1 && !find_saturation)
      json["notes"].push_back(
          "with constant injection, each source begins at random, once a run: the intervals lack what that "
          "changes; give replications");
    if (setting.unproved) json["unproved"] = *setting.unproved;
  }

  [[nodiscard]] std::vector<Rerouting> rerouted(const ReroutedCase& one, const FaultSchedule& outages,
                                                const Description& given) const {
    const auto& [unused, known, role] = one.damage;
    const std::string field = given.path_of("reroute-after");
    const bool sees_no_more = known.is_none() || known == Knowledge::neighbours();
    if (sees_no_more && !is_computed_anew(one.routing.kind().survival, known, role))
      throw Error(field, std::to_string(*reroute_after),
                  "must be left out with knowledge " + to_string(known) +
                      ": no switch learns more than that a channel next to it is down; a routing that is "
                      "recomputed without dead channels, such as up-down or dfsssp, may be rerouted");
    return reroutings(one, outages, *reroute_after, field);
  }

  /// A trace determines the length of its run.
  [[nodiscard]] WorkEstimate runs_estimate(const CaseContext& context) const {
    if (!load && !find_saturation) return {};
    constexpr double runs_of_a_search = 12, longer_runs = 3 * 4, carried_load = 1;
    const double runs = find_saturation ? runs_of_a_search + (cycles == 0 ? longer_runs : 0) : replications;
    const Topology& topology = *context.topology;
    SimulationSpec one{.injection = injection_spec(context.options), .measurement = measurement_spec()};
    one.injection.load = std::min(load.value_or(carried_load), carried_load);
    const double flits = mean_flits(one.injection);
    const double packets =
        one.injection.load / flits * expected_cycles(one) * static_cast<double>(topology.terminal_count());
    WorkEstimate work = simulation(topology, runs * packets * hops_from_one_terminal(topology), flits,
                                   switching_named(switching) == Switching::wormhole);
    work.bytes *= std::max(1U, std::min(replications, context.threads));  // each thread has a run in memory
    return work;
  }

  [[nodiscard]] std::optional<std::uint64_t> warmup_cycles() const {
    return number_of<std::uint64_t>(warmup);
  }

  void check_warmup(const Description& given) const {
    if (warmup != "auto" && !warmup_cycles())
      throw Error(given.path_of("warmup"), warmup, "must be auto or a number of cycles");
    if (const std::uint64_t longest = longest_warmup(cycles); warmup_cycles().value_or(0) > longest)
      throw Error(given.path_of("warmup"), warmup, fmt::format("must be at most {} cycles", longest));
  }

  [[nodiscard]] bool fails_in_time() const { return schedule || fault_process; }
  void check_faults_in_time(const Description& given, bool is_trace) const {
    if (reroute_stops && !reroute_after)
      throw Error(given.path_of("reroute-stops"), "true", "must be used with reroute-after");
    if (reroute_after && !fails_in_time())
      throw Error(given.path_of("reroute-after"), std::to_string(*reroute_after),
                  "must be left out without a schedule or a fault-process");
    if (on_failure != "complete" && !fails_in_time())
      throw Error(given.path_of("on-failure"), on_failure,
                  "must be left out without a schedule or a fault-process");
    if (schedule_out && !fault_process)
      throw Error(given.path_of("schedule-out"), *schedule_out, "must be left out without a fault-process");
    if (!fault_process) return;
    if (schedule)
      throw Error(given.path_of("fault-process"), fault_process->text,
                  "must be left out with a schedule: give one");
    if (cycles == 0 && (is_trace || packets_per_source > 0 || interval_width > 0 || find_saturation))
      throw Error(given.path_of("cycles"), "0",
                  "must be the length of the run, up to which a fault-process is drawn");
  }

  /// Under wormhole switching a routing is used without its own agent.
  [[nodiscard]] std::optional<SourceAgents> agents(const CaseContext& context) const {
    const auto asked =
        agent_asked(agent, context.routing.kind(), switching_named(switching) == Switching::cut_through,
                    context.options.path_of("agent"));
    const auto watched =
        watched_pair(watch, *context.topology, asked.has_value(), context.options.path_of("watch"));
    if (!asked) check_no_agent_options(*this, context.options);
    if (!asked) return std::nullopt;
    return SourceAgents{.maker = agent_maker(*asked),
                        .reaction_cycles = agent_reaction,
                        .control_flits = control_flits,
                        .own_lanes = control_buffers == "own",
                        .watched = watched};
  }

  static bool learns(const SimulationSpec& spec) {
    const auto* const switches = std::get_if<CutThroughSwitches>(&spec.switches);
    return switches != nullptr && switches->agents;
  }

  [[nodiscard]] std::string name_of_selection(const RoutingKind& routing) const {
    return selection ? selection->text : std::string(routing.selection);
  }

  void check_load(const Description& given, bool is_trace) const {
    if (is_trace && (load || find_saturation))
      throw Error(given.path_of(load ? "load" : "find-saturation"), load ? fmt::format("{}", *load) : "true",
                  "must be left out: the trace says when packets are sent");
    if (is_trace && (interval_width > 0 || packets_per_source > 0))
      throw Error(given.path_of(interval_width > 0 ? "interval-width" : "packets-per-source"),
                  interval_width > 0 ? fmt::format("{}", interval_width) : std::to_string(packets_per_source),
                  "must be left out: a trace is run to its end");
    check_injection_options(*this, given, is_trace);
    if (!is_trace && load.has_value() == find_saturation)
      throw Error(given.path_of("load"), load ? fmt::format("{}", *load) : "",
                  load ? "must be left out with find-saturation, which searches for it"
                       : "is required, unless find-saturation searches for it");
    if (find_saturation && replications > 1)
      throw Error(given.path_of("replications"), std::to_string(replications),
                  "must be 1 with find-saturation");
  }

  [[nodiscard]] Json answer_of(const Replications& all, const RoutingRelation& relation,
                               const TrafficPattern& pattern, const SimulationSpec& spec) const {
    Json json = to_json(all.combined, relation.topology());
    if (all.runs.size() > 1) json["replications"] = to_json(all);
    if (all.combined.control)
      add_channels_down(json["control"], spec.faults.outages, all.runs.front().result.cycles - 1,
                        relation.topology());
    if (fails_in_time() && pattern.trace() == nullptr)
      json["recovery"] = to_json(recoveries(all.combined.throughput, spec.faults.outages, spec.faults.dead));
    else if (fails_in_time())
      json["notes"].push_back("no recovery is given, since a trace's lulls are not told from losses");
    if (spec.measurement.channel_load)
      json["channel_load"] =
          to_json(faultline::channel_load(all.combined, relation, pattern, spec.injection.load));
    return json;
  }

  [[nodiscard]] Json simulated(const RoutingRelation& relation, const TrafficPattern& pattern,
                               const SimulationSpec& spec, const CaseContext& context) const {
    if (!find_saturation)
      return answer_of(replicate(relation, pattern, spec, replications, context.threads, context.progress),
                       relation, pattern, spec);
    const SaturationSearch search =
        faultline::find_saturation(relation, pattern, spec, 0.01, context.progress);
    const SaturationSearch::Run& decisive = search.runs[search.decisive_run];
    SimulationSpec decided = spec;
    decided.injection.load = decisive.load;
    Json json = answer_of({decisive.result, {{spec.seed, decisive.result}}}, relation, pattern, decided);
    json["saturation"] = to_json(search);
    return json;
  }

  [[nodiscard]] std::optional<FaultHistory> drawn_faults(const CaseContext& context,
                                                         const SimulationSpec& asked) const {
    if (!fault_process) return std::nullopt;
    return draw_faults(context.topology, run_length(asked), seed, fault_process->resolved);
  }

  [[nodiscard]] InjectionSpec injection_spec(const Description& given) const {
    InjectionSpec spec;
    if (load) spec.load = *load;
    spec.packet_mix = parse_packet_mix(packet_flits, given.path_of("packet-flits"));
    spec.packet_flits = std::ranges::max(spec.packet_mix, {}, &PacketShare::flits).flits;
    if (spec.packet_mix.size() == 1) spec.packet_mix.clear();
    spec.process = injection == "bernoulli" ? Injection::bernoulli
                   : injection == "bursty"  ? Injection::bursty
                                            : Injection::constant;
    spec.burst_packets = burst_packets;
    return spec;
  }

  [[nodiscard]] MeasurementSpec measurement_spec() const {
    return {.cycles = cycles,
            .warmup = warmup_cycles(),
            .packets_per_source = packets_per_source,
            .interval_width = interval_width,
            .channel_load = channel_load};
  }

  [[nodiscard]] SelectionRule selection_asked(const CaseContext& context) const {
    if (selection) return selection_rule(selection->resolved);
    const RoutingKind& routing = context.routing.kind();
    const std::vector<std::string_view> known = names_of(&infos_of<SelectionKind>);
    if (std::ranges::find(known, routing.selection) == known.end())
      throw std::logic_error(
          fmt::format("routing {}: names the default selection function '{}', which is none",
                      routing.info.name, routing.selection));
    return selection_rule(parse_compact(context.options.path_of("selection"), routing.selection));
  }

  [[nodiscard]] SimulationSpec spec(const CaseContext& context) const {
    SimulationSpec spec{
        .injection = injection_spec(context.options),
        .switches = switches_of(switching_named(switching), cut_through_switches(agents(context)),
                                wormhole_switches()),
        .virtual_channels = vcs,
        .selection = selection_asked(context),
        .arbitration = arbitration_asked(),
        .speedup = {input_speedup, output_speedup, internal_speedup},
        .measurement = measurement_spec(),
        .faults = {.on_failure = on_failure == "complete" ? OnFailure::complete : OnFailure::drop},
        .seed = seed};
    if (schedule)
      spec.faults.outages =
          read_fault_schedule(context.topology, *schedule, context.options.path_of("schedule"));
    return spec;
  }
};

}  // namespace

extern constinit const VerbKind simulate =
    verb_kind<SimulateVerb>("simulate", "throughput and latency of packets under a traffic pattern");

}  // namespace faultline::verbs
