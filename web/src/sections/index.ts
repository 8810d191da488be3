// SPDX-License-Identifier: Apache-2.0
import {cost} from "./cost";
import {critical} from "./critical";
import {latency} from "./latency";
import {networks} from "./networks";
import {other} from "./other";
import {provenance} from "./provenance";
import {recovery} from "./recovery";
import {reliability} from "./reliability";
import {resilience} from "./resilience";
import type {Section} from "./section";
import {statements} from "./statements";
import {verdicts} from "./verdicts";
import {verification} from "./verification";

/** In the order of the page. */
export const sections: Section[] = [verdicts, cost, latency, recovery, resilience, reliability, critical, statements, verification, networks, other, provenance];
