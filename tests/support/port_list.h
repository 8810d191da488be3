// SPDX-License-Identifier: Apache-2.0
// One fabric, emulated by ibsim 0.10, as ibnetdiscover of infiniband-diags 44.0 printed it in its two forms:
// two switches, an adapter with both ports cabled, one with its second port only, two nodes of one name, a
// router.
#pragma once

#include <string_view>

namespace faultline {

/// `ibnetdiscover`
inline constexpr std::string_view dump_in_records =
    "vendid=0x0\n"
    "devid=0x0\n"
    "sysimgguid=0xb1\n"
    "switchguid=0xb1(b1)\n"
    "Switch\t6 \"S-00000000000000b1\"\t\t# \"spine\" base port 0 lid 2 lmc 0\n"
    "[1]\t\"H-00000000000000f0\"[1](f1) \t\t# \"host\" lid 6 4xSDR\n"
    "[2]\t\"R-00000000000000e0\"[2](e2) \t\t# \"router\" lid 0 4xSDR\n"
    "[4]\t\"H-00000000000000d0\"[2](d2) \t\t# \"host\" lid 7 4xSDR\n"
    "[6]\t\"S-00000000000000a1\"[3]\t\t# \"leaf (1) 'east'\" lid 1 4xSDR\n"
    "\n"
    "vendid=0x0\n"
    "devid=0x0\n"
    "sysimgguid=0xa1\n"
    "switchguid=0xa1(a1)\n"
    "Switch\t4 \"S-00000000000000a1\"\t\t# \"leaf (1) 'east'\" base port 0 lid 1 lmc 0\n"
    "[1]\t\"H-00000000000000c0\"[1](c1) \t\t# \"Bob's (twin) - 2\" lid 4 4xSDR\n"
    "[2]\t\"H-00000000000000c0\"[2](c2) \t\t# \"Bob's (twin) - 2\" lid 5 4xSDR\n"
    "[3]\t\"S-00000000000000b1\"[6]\t\t# \"spine\" lid 2 4xSDR\n"
    "[4]\t\"R-00000000000000e0\"[1](e1) \t\t# \"router\" lid 0 4xSDR\n"
    "\n"
    "vendid=0x0\n"
    "devid=0x0\n"
    "sysimgguid=0xd0\n"
    "caguid=0xd0\n"
    "Ca\t2 \"H-00000000000000d0\"\t\t# \"host\"\n"
    "[2](d2) \t\"S-00000000000000b1\"[4]\t\t# lid 7 lmc 0 \"spine\" lid 2 4xSDR\n"
    "\n"
    "vendid=0x0\n"
    "devid=0x0\n"
    "sysimgguid=0xf0\n"
    "caguid=0xf0\n"
    "Ca\t1 \"H-00000000000000f0\"\t\t# \"host\"\n"
    "[1](f1) \t\"S-00000000000000b1\"[1]\t\t# lid 6 lmc 0 \"spine\" lid 2 4xSDR\n"
    "\n"
    "vendid=0x0\n"
    "devid=0x0\n"
    "sysimgguid=0xc0\n"
    "caguid=0xc0\n"
    "Ca\t2 \"H-00000000000000c0\"\t\t# \"Bob's (twin) - 2\"\n"
    "[1](c1) \t\"S-00000000000000a1\"[1]\t\t# lid 4 lmc 0 \"leaf (1) 'east'\" lid 1 4xSDR\n"
    "[2](c2) \t\"S-00000000000000a1\"[2]\t\t# lid 5 lmc 0 \"leaf (1) 'east'\" lid 1 4xSDR\n"
    "\n"
    "vendid=0x0\n"
    "devid=0x0\n"
    "sysimgguid=0xe0\n"
    "rtguid=0xe0\n"
    "Rt\t2 \"R-00000000000000e0\"\t\t# \"router\"\n"
    "[1](e1) \t\"S-00000000000000a1\"[4]\t\t# lid 0 lmc 0 \"leaf (1) 'east'\" lid 1 4xSDR\n"
    "[2](e2) \t\"S-00000000000000b1\"[2]\t\t# lid 0 lmc 0 \"spine\" lid 2 4xSDR\n";

/// `ibnetdiscover -p`
inline constexpr std::string_view dump_in_ports =
    "CA     7  2 0x00000000000000d2 4x SDR - SW     2  4 0x00000000000000b1 ( 'host' - 'spine' )\n"
    "CA     6  1 0x00000000000000f1 4x SDR - SW     2  1 0x00000000000000b1 ( 'host' - 'spine' )\n"
    "RT     0  2 0x00000000000000e2 4x SDR - SW     2  2 0x00000000000000b1 ( 'router' - 'spine' )\n"
    "RT     0  1 0x00000000000000e1 4x SDR - SW     1  4 0x00000000000000a1 ( 'router' - 'leaf (1) 'east'' "
    ")\n"
    "SW     2  6 0x00000000000000b1 4x SDR - SW     1  3 0x00000000000000a1 ( 'spine' - 'leaf (1) 'east'' )\n"
    "SW     2  5 0x00000000000000b1 4x SDR                                    'spine'\n"
    "SW     2  4 0x00000000000000b1 4x SDR - CA     7  2 0x00000000000000d2 ( 'spine' - 'host' )\n"
    "SW     2  3 0x00000000000000b1 4x SDR                                    'spine'\n"
    "SW     2  2 0x00000000000000b1 4x SDR - RT     0  2 0x00000000000000e2 ( 'spine' - 'router' )\n"
    "SW     2  1 0x00000000000000b1 4x SDR - CA     6  1 0x00000000000000f1 ( 'spine' - 'host' )\n"
    "SW     1  4 0x00000000000000a1 4x SDR - RT     0  1 0x00000000000000e1 ( 'leaf (1) 'east'' - 'router' "
    ")\n"
    "SW     1  3 0x00000000000000a1 4x SDR - SW     2  6 0x00000000000000b1 ( 'leaf (1) 'east'' - 'spine' )\n"
    "SW     1  2 0x00000000000000a1 4x SDR - CA     5  2 0x00000000000000c2 ( 'leaf (1) 'east'' - 'Bob's "
    "(twin) - 2' )\n"
    "SW     1  1 0x00000000000000a1 4x SDR - CA     4  1 0x00000000000000c1 ( 'leaf (1) 'east'' - 'Bob's "
    "(twin) - 2' )\n"
    "CA     5  2 0x00000000000000c2 4x SDR - SW     1  2 0x00000000000000a1 ( 'Bob's (twin) - 2' - 'leaf (1) "
    "'east'' )\n"
    "CA     4  1 0x00000000000000c1 4x SDR - SW     1  1 0x00000000000000a1 ( 'Bob's (twin) - 2' - 'leaf (1) "
    "'east'' )\n";

}  // namespace faultline
