// The machine code between a kernel's sealed code and the runtime: x86-64 only.
#include "guest_calls.h"

#if defined(__x86_64__)
// clang-format off
asm(R"(
    .text
    # Keep all that a function may change, call \function with the address and what the stub pushed, put it all back.
    # On entry: (%rsp) is what, 8(%rsp) the kernel's place.
    .macro akgen_slow function
    pushfq
    pushq %rbp
    movq %rsp, %rbp
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    subq $264, %rsp
    andq $-16, %rsp
    .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    movups %xmm\n, \n*16(%rsp)
    .endr
    .ifc \function,akgen_guest_text
    movq 24(%rbp), %r8
    movq 16(%rbp), %rax
    movq %rcx, %rdx
    movq %rax, %rcx
    .else
    movq %r15, %rdi
    movq 16(%rbp), %rsi
    movq 24(%rbp), %rdx
    .endif
    cld
    call \function
    .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    movups \n*16(%rsp), %xmm\n
    .endr
    leaq -72(%rbp), %rsp
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rdx
    popq %rcx
    popq %rax
    popq %rbp
    popfq
    leaq 8(%rsp), %rsp
    .endm

akgen_access_slow:
    akgen_slow akgen_guest_access
    ret
akgen_text_slow:
    akgen_slow akgen_guest_text
    ret
    .globl akgen_check_call
    .type akgen_check_call, @function
akgen_check_call:
    pushq $0
    akgen_slow akgen_guest_call
    jmp *%r15

    # The kernel's stack is out of bounds; say so on what is left of it.
    .globl akgen_stack_left
    .type akgen_stack_left, @function
akgen_stack_left:
    movq (%r14), %rsp
    andq $-16, %rsp
    movq %r15, %rdi
    call akgen_guest_stack
    ud2

    # The same comparison where the flags are wanted, after a few pushes or pops.
    .globl akgen_check_stack
    .type akgen_check_stack, @function
akgen_check_stack:
    pushfq
    leaq 16(%rsp), %r15
    cmpq (%r14), %r15
    jb 1f
    cmpq 8(%r14), %r15
    ja 1f
    popfq
    ret
1:  movq 8(%rsp), %r15
    jmp akgen_stack_left

    .macro akgen_check name bytes write end
    .globl akgen_check_\name
    .type akgen_check_\name, @function
akgen_check_\name:
    cmpq (%r14), %r15
    jb 1f
    cmpq \end(%r14), %r15
    ja 1f
    ret
1:  pushq $(\bytes * 2 + \write)
    jmp akgen_access_slow
    .globl akgen_check_\name\()_flags
    .type akgen_check_\name\()_flags, @function
akgen_check_\name\()_flags:
    pushfq
    cmpq (%r14), %r15
    jb 1f
    cmpq \end(%r14), %r15
    ja 1f
    popfq
    ret
1:  popfq
    pushq $(\bytes * 2 + \write)
    jmp akgen_access_slow
    .endm
    akgen_check load1 1 0 24
    akgen_check load2 2 0 32
    akgen_check load4 4 0 40
    akgen_check load8 8 0 48
    akgen_check load16 16 0 56
    akgen_check store1 1 1 24
    akgen_check store2 2 1 32
    akgen_check store4 4 1 40
    akgen_check store8 8 1 48
    akgen_check store16 16 1 56

    .macro akgen_text name bytes copy
    .globl akgen_check_\name
    .type akgen_check_\name, @function
akgen_check_\name:
    pushq $(\bytes * 2 + \copy)
    jmp akgen_text_slow
    .endm
    .irp n,1,2,4,8
    akgen_text fill\n \n 0
    akgen_text copy\n \n 1
    .endr

    # (entry, arguments, guest, shadow, count): call entry with pointers, with the registers that sealed code relies on.
    # The count is even and at least 6: the stack stays aligned.
    .hidden akgen_enter_guest
    .globl akgen_enter_guest
    .type akgen_enter_guest, @function
akgen_enter_guest:
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rdx, %r14
    movq %rcx, %r13
    movq %rsp, 64(%r14)
    movq %rdi, %r10
    movq %rsi, %r11
    movq 8(%r14), %rsp          # behind the gap
    movl %r8d, %ecx
1:  cmpl $6, %ecx
    je 2f
    pushq -8(%r11,%rcx,8)
    decl %ecx
    jmp 1b
2:  movq (%r11), %rdi
    movq 8(%r11), %rsi
    movq 16(%r11), %rdx
    movq 24(%r11), %rcx
    movq 32(%r11), %r8
    movq 40(%r11), %r9
    call *%r10
    movq 64(%r14), %rsp         # whatever the kernel made of it
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret
)");
// clang-format on
#endif
