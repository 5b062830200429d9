// SPDX-License-Identifier: MIT
// The part of QEMU's TCG plugin interface that the recorder uses, declared here because Debian
// ships no header for it. Source: QEMU's documentation, "QEMU TCG Plugins"
// (docs/devel/tcg-plugins.rst) and its list of API versions. QEMU 5.2 to 8.2 speak version 1, 9.0
// version 2, 9.1 and 9.2 version 3, 10.0 version 4, 10.2 version 5 (and from 9.0 on they take
// plugins from 2 on). Of what is declared here, one thing changed between them: how the bytes of an
// instruction are handed over (version 3).
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

using qemu_plugin_id_t = std::uint64_t;

/// Its head: what follows (numbers of CPUs) is not used.
struct qemu_info_t {
    const char* target_name;
    struct {
        int min;
        int cur;
    } version;
};

struct qemu_plugin_tb;
struct qemu_plugin_insn;
using qemu_plugin_meminfo_t = std::uint32_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_CB_RW_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

using qemu_plugin_simple_cb_t = void (*)(qemu_plugin_id_t id);
using qemu_plugin_udata_cb_t = void (*)(qemu_plugin_id_t id, void* userdata);
using qemu_plugin_vcpu_udata_cb_t = void (*)(unsigned int vcpu_index, void* userdata);
using qemu_plugin_vcpu_mem_cb_t = void (*)(unsigned int vcpu_index, qemu_plugin_meminfo_t info,
                                           std::uint64_t vaddr, void* userdata);
using qemu_plugin_vcpu_tb_trans_cb_t = void (*)(qemu_plugin_id_t id, qemu_plugin_tb* tb);

/// Takes all callbacks away, throws translated code away, then calls back.
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_simple_cb_t done);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t cb);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t cb, void* userdata);

std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb* tb);
qemu_plugin_insn* qemu_plugin_tb_get_insn(const qemu_plugin_tb* tb, std::size_t index);

/// Up to version 2: returns the bytes and takes one argument. From 3 on: copies at most `size`
/// bytes to `to` and returns how many.
std::size_t qemu_plugin_insn_data(const qemu_plugin_insn* insn, void* to, std::size_t size);
std::size_t qemu_plugin_insn_size(const qemu_plugin_insn* insn);
std::uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn* insn);
/// To be released with free(3).
char* qemu_plugin_insn_disas(const qemu_plugin_insn* insn);

void qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_insn* insn, qemu_plugin_vcpu_udata_cb_t cb,
                                            qemu_plugin_cb_flags flags, void* userdata);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn* insn, qemu_plugin_vcpu_mem_cb_t cb,
                                      qemu_plugin_cb_flags flags, qemu_plugin_mem_rw rw,
                                      void* userdata);
/// log2 of the size in bytes.
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

void qemu_plugin_outs(const char* text);
}
