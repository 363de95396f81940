// The context switch, inline: with no call and no return, the CPU's return stack only sees nested calls. Stack, frame
// and base pointer and the resume address are kept by hand; the compiler spills what else lives across it.
// Floating-point control belongs to the launch, not to a thread.
#ifndef TF_SWITCH_H
#define TF_SWITCH_H
#include "image.h"

#if defined(__x86_64__)

#if defined(__AVX512F__)
#define TF_CLOBBER_AVX512                                                                                             \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", \
    "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define TF_CLOBBER_AVX512
#endif

TF_INLINE void tf_switch(TfContext* from, TfContext* to) {
  __asm__ volatile(
    "lea 1f(%%rip),%%rcx\n mov %%rsp,(%0)\n mov %%rcx,8(%0)\n mov %%rbp,16(%0)\n mov %%rbx,24(%0)\n"
    "mov (%1),%%rsp\n mov 16(%1),%%rbp\n mov 24(%1),%%rbx\n jmp *8(%1)\n 1:\n"
    : "+a"(from), "+d"(to)
    :
    : "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc", "xmm0", "xmm1", "xmm2",
      "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
      "xmm15" TF_CLOBBER_AVX512);
}

#elif defined(__aarch64__)

// x18 is the system's on macOS; images for every system leave it alone. The operands have registers of their own: where the
// compiler chose them, those that it passed over would be neither operands nor clobbered, and values would stay in them.
TF_INLINE void tf_switch(TfContext* from, TfContext* to) {
  register TfContext* now __asm__("x0") = from;
  register TfContext* next __asm__("x1") = to;
  __asm__ volatile(
    "adr x9,1f\n mov x10,sp\n stp x10,x9,[%0]\n stp x29,x19,[%0,#16]\n"
    "ldp x10,x9,[%1]\n ldp x29,x19,[%1,#16]\n mov sp,x10\n br x9\n 1:\n"
    : "+r"(now), "+r"(next)
    :
    : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x20",
      "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5",
      "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22",
      "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}

#endif
#endif
