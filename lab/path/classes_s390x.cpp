// SPDX-License-Identifier: MIT
// s390x. Control goes into the kernel by `svc` and out by `lpswe`. A call leaves the way back in
// the register that it names, %r14 by convention, and `br %r14` goes back.
//
// Capstone 4 knows few instructions of the system and prints others as their bytes, so these stand
// here twice: by opcode (z/Architecture Principles of Operation, appendix B) and by name, for later
// versions. Against Spectre a kernel jumps by `exrl`, which executes an instruction from elsewhere:
// QEMU shows that one as a step of its own, and dissect() spells it by its bytes.
#include "lab/path/class_table.hpp"

namespace kerntoll::lab::path {
namespace {

constexpr Row rows[] = {
    {"br %r14", ret},
    {".byte 0x07, 0xfe*", ret},
    // Jumps by register 0 go nowhere: conditions 15 and 14 wait for all that came before.
    {"br %r0", barrier, "bcr 15,0"},
    {"bnor %r0", barrier, "bcr 14,0"},
    {"b*r %r0", nothing},
    {"bcr 0, *", nothing},
    {"br *", indirect_jump},
    {".byte 0x07, 0xf*", indirect_jump},
    {"basr *", indirect_call},
    {"bas *", indirect_call},
    {".byte 0x4d*", indirect_call},
    {"b*r *", indirect_branch},
    {"brasl *", call},
    {"bras *", call},

    {"j *", jump},
    {"jg *", jump},
    {"j*", branch},
    // Condition 0 never holds: the place of a jump that is patched in when it is needed.
    {"brc 0, *", nothing},
    {"brcl 0, *", nothing},
    {"brc*", branch},
    {"brx*", branch},
    {".byte 0x8[45], *", branch},
    {"c*j* *", branch},
    {".byte 0xec, *, 0xe[45]", indirect_branch},
    {".byte 0xec, *, 0xf[67cdef]", indirect_branch},
    {".byte 0x47, 0x0*", nothing},
    {".byte 0x47, 0xf0, 0x0*", jump},
    {".byte 0x47, 0xf*", indirect_jump},
    {".byte 0x47, *", indirect_branch},
    {".byte 0x46, *", indirect_branch},
    {".byte 0x06, 0x?[123456789abcdef]*", indirect_branch},

    {"svc *", trap, "svc"},
    {".byte 0x0a, *", trap, "svc"},
    {"lpsw*", trap_return, "$0"},
    {".byte 0x82, *", trap_return, "lpsw"},
    {".byte 0xb2, 0xb2, *", trap_return, "lpswe"},
    {".byte 0xeb, *, 0x71", trap_return, "lpswey"},

    {"cs *", atomic},
    {"csg *", atomic},
    {"csy *", atomic},
    {"cds*", atomic},
    {".byte 0xbb, *", atomic},
    {".byte 0xeb, *, 0x3[1e]", atomic},
    {"la[anox] *", atomic},
    {"la[anox]g *", atomic},
    {"laal*", atomic},
    {"ts *", atomic},
    {".byte 0x93, *", atomic},
    {"plo *", atomic},
    {".byte 0xee, *", atomic},

    // The stack of the task that is to go on: __switch_to. Waiting is a PSW, loaded like any other.
    {"lg %r15, *(*,*)", gives_way},

    {"stnsm *", nothing, "$0"},
    {".byte 0xac, *", nothing, "stnsm"},
    {"stosm *", nothing, "$0"},
    {".byte 0xad, *", nothing, "stosm"},
    {"ssm *", nothing, "$0"},
    {".byte 0x80, *", nothing, "ssm"},
    {"lctl*", nothing, "$0"},
    {".byte 0xb7, *", nothing, "lctl"},
    {".byte 0xeb, *, 0x2f", nothing, "lctlg"},
    {"stct[lg] *", nothing, "$0"},
    {".byte 0xb6, *", nothing, "stctl"},
    {".byte 0xeb, *, 0x25", nothing, "stctg"},
    {"sigp *", nothing, "$0"},
    {".byte 0xae, *", nothing, "sigp"},
    {"diag *", nothing, "$0"},
    {".byte 0x83, *", nothing, "diag"},
    {"lra *", nothing, "$0"},
    {".byte 0xb1, *", nothing, "lra"},

    {"spt *", nothing, "$0"},
    {".byte 0xb2, 0x08, *", nothing, "spt"},
    {"stpt *", nothing, "$0"},
    {".byte 0xb2, 0x09, *", nothing, "stpt"},
    {"sck *", nothing, "$0"},
    {".byte 0xb2, 0x04, *", nothing, "sck"},
    {"sckc *", nothing, "$0"},
    {".byte 0xb2, 0x06, *", nothing, "sckc"},
    {"stckc *", nothing, "$0"},
    {".byte 0xb2, 0x07, *", nothing, "stckc"},
    {"stck *", nothing, "$0"},
    {".byte 0xb2, 0x05, *", nothing, "stck"},
    {"stck[ef] *", nothing, "$0"},
    {".byte 0xb2, 0x78, *", nothing, "stcke"},
    {".byte 0xb2, 0x7c, *", nothing, "stckf"},
    {"stidp *", nothing, "$0"},
    {".byte 0xb2, 0x02, *", nothing, "stidp"},
    {"stap *", nothing, "$0"},
    {".byte 0xb2, 0x12, *", nothing, "stap"},
    {"stsi *", nothing, "$0"},
    {".byte 0xb2, 0x7d, *", nothing, "stsi"},
    {"stfl*", nothing, "$0"},
    {".byte 0xb2, 0xb0, *", nothing, "stfle"},
    {".byte 0xb2, 0xb1, *", nothing, "stfl"},
    {"spx *", nothing, "$0"},
    {".byte 0xb2, 0x10, *", nothing, "spx"},
    {"stpx *", nothing, "$0"},
    {".byte 0xb2, 0x11, *", nothing, "stpx"},
    {"spka *", nothing, "$0"},
    {".byte 0xb2, 0x0a, *", nothing, "spka"},
    {"ipk*", nothing, "$0"},
    {".byte 0xb2, 0x0b, *", nothing, "ipk"},
    {"sac *", nothing, "$0"},
    {".byte 0xb2, 0x19, *", nothing, "sac"},
    {"sacf *", nothing, "$0"},
    {".byte 0xb2, 0x79, *", nothing, "sacf"},
    {"iac *", nothing, "$0"},
    {".byte 0xb2, 0x24, *", nothing, "iac"},
    {"epsw *", nothing, "$0"},
    {".byte 0xb9, 0x8d, *", nothing, "epsw"},
    {"mvcos *", nothing, "$0"},
    {".byte 0xc8, 0x?0, *", nothing, "mvcos"},
    {"ptlb*", nothing, "$0"},
    {".byte 0xb2, 0x0d, *", nothing, "ptlb"},
    {"ipte *", nothing, "$0"},
    {".byte 0xb2, 0x21, *", nothing, "ipte"},
    {"idte *", nothing, "$0"},
    {".byte 0xb9, 0x8e, *", nothing, "idte"},
    {"csp *", atomic, "$0"},
    {".byte 0xb2, 0x50, *", atomic, "csp"},
    {"iske *", nothing, "$0"},
    {".byte 0xb2, 0x29, *", nothing, "iske"},
    {"sske *", nothing, "$0"},
    {".byte 0xb2, 0x2b, *", nothing, "sske"},
    // What the hardware must not guess: branch prediction off and on around the kernel.
    {"ppa *", nothing, "$0"},
    {".byte 0xb2, 0xe8, *", nothing, "ppa"},
    {"bpp *", nothing, "$0"},
    {".byte 0xc7, *", nothing, "bpp"},
};

}  // namespace

constinit const std::span<const Row> s390x_rows = rows;

}  // namespace kerntoll::lab::path
