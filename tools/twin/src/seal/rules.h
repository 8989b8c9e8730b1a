// The closed lists that decide what a kernel's code may have: the processor's instructions, and what each does to memory
// and flags; sections and directives of the compiler's; names from elsewhere.
#pragma once
#include "assembly.h"

namespace akgen::seal {

enum class Flow { none, jump, branch, call, ret, trap };
enum class Touch { none, read, write }; // of an operand that is memory; what is read and written is written

struct Instruction {
    Flow flow = Flow::none;
    unsigned bytes = 0;                           // of an operand that is memory; 0: as the register beside it has
    Touch last = Touch::read;                     // the last operand; all others are read
    bool reads_flags = false, sets_flags = false; // sets: all of them, in every case
    bool text = false;                            // of strings: %rdi, %rsi and %rcx say where and how many
};

// Look an instruction up. False: a kernel's code has none such.
bool find_instruction(const std::string &name, Instruction &found);

constexpr const char *function_section = "akgen_functions"; // where a kernel's functions begin, for the launcher

// -- directives.cpp
void require_directive(const Statement &s, bool in_code); // throws Refusal for what the compiler does not write so
bool is_left_out(const std::string &directive);           // tables of unwinding, which the runtime must never believe
bool makes_function(const Statement &s, std::string &name);
bool changes_linkage(const std::string &directive);
bool holds_addresses(const std::string &directive);
bool begins_code(const Statement &section); // throws Refusal for sections that are neither code nor data

// -- names.cpp
std::vector<std::string> symbols_in(const std::string &expression); // without numbers
bool may_be_elsewhere(const std::string &name);    // the runtime's, or arithmetic of the compiler's own library
std::string checked_name(const std::string &name); // the runtime's function in place of a library's, or nothing
bool is_own_name(const std::string &name);         // the seal's, which nobody else may define
bool is_shift(const std::string &instruction);     // without the letter of a size
bool is_system_call(const std::string &instruction);
bool needs_operands(const std::string &instruction);
bool changes_stack_pointer(const Statement &instruction);
unsigned scalar_cycles(const std::string &instruction); // in units of one simple scalar operation

} // namespace akgen::seal
