// What moves the stack pointer, which afterwards lies within the core's stack.
#include "device/guest_fields.h"
#include "rewriter.h"
#include <set>

namespace akgen::seal {

namespace {
constexpr int longest_run = 16; // of pushes or pops without a comparison: the stack's margins are wider

bool is_push(const Statement &s) { return s.name == "pushq" || s.name == "push"; }
bool is_pop(const Statement &s) { return s.name == "popq" || s.name == "pop"; }
} // namespace

void Rewriter::stack_pointer(const Statement &s, size_t next)
{
    if (is_push(s) || is_pop(s)) {
        after_run(s, next);
        return;
    }
    if (!changes_stack_pointer(s)) {
        return;
    }
    static const std::set<std::string> known = {"subq", "addq", "leaq", "andq", "movq"};
    if (!known.count(s.name) || s.operands.back() != "%rsp") {
        refuse("a stack pointer that the compiler does not make");
    }
    const bool leaves_flags = s.name == "leaq" || s.name == "movq"; // of the others' flags no compiler makes use
    bound_stack(leaves_flags ? next : survey_.lines.size());
}

void Rewriter::after_run(const Statement &s, size_t next)
{
    const Statement *then = survey_.next_instruction(next);
    const bool more = then && (is_push(s) ? is_push(*then) : is_pop(*then));
    if (more && ++run_ < longest_run) {
        return;
    }
    run_ = 0;
    if (then && is_push(s) && changes_stack_pointer(*then) && !is_pop(*then)) {
        return; // compared after that
    }
    if (survey_.flags_live(next)) {
        put("call akgen_check_stack@PLT"); // keeps them; the stack pointer is so near that a call may be made
    } else {
        bound_stack(next);
    }
}

void Rewriter::leave(size_t next)
{
    put("movq %rbp, %rsp");
    bound_stack(next);
    put("popq %rbp");
    bound_stack(next);
}

// The flags are not those of before any more, which the code from `next` on must not want.
void Rewriter::bound_stack(size_t next)
{
    if (next < survey_.lines.size() && survey_.flags_live(next)) {
        refuse("a condition that outlives the stack frame");
    }
    put("leaq 0(%rip), %r15"); // for the finding's place
    put("cmpq " + guest_field(guest_low) + ", %rsp");
    put("jb akgen_stack_left@PLT");
    put("cmpq " + guest_field(guest_high) + ", %rsp");
    put("ja akgen_stack_left@PLT");
}

} // namespace akgen::seal
