// SPDX-License-Identifier: Apache-2.0
// What ties a certificate to a network: the reader's files, compared line by line.
#pragma once

#include "certificate.h"

namespace checker {

/// Each throws Refused with the first line of the reader's `text` that differs from the certificate.

/// A list of cables: lines `n FROM TO`, `i TERMINAL SWITCH`, `e SWITCH TERMINAL`, with LINK and CYCLES if
/// they are known, in the order of the channels. Lines that begin with '#' are skipped.
void compare_network(const Certificate& certificate, std::string_view text);

/// A relation file.
void compare_relation(const Certificate& certificate, std::string_view text);

/// Numbers of channels, one per line.
void compare_dead(const Certificate& certificate, std::string_view text);

}  // namespace checker
