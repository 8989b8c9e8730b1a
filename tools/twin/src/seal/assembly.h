// The compiler's assembly text (x86-64, AT&T syntax as g++ writes it), one statement a line.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace akgen::seal {

// What cannot be sealed. `code` is a code of the catalogue.
struct Refusal : std::runtime_error {
    Refusal(std::string code_, const std::string &text) : std::runtime_error(text), code(std::move(code_)) {}
    std::string code;
};

[[noreturn]] inline void refuse(const std::string &text, const char *code = "HOST_INSTRUCTION")
{
    throw Refusal(code, text);
}

inline bool begins(const std::string &text, const char *with) { return text.rfind(with, 0) == 0; }

struct Statement {
    enum class Kind { blank, label, directive, instruction } kind = Kind::blank;
    std::string name;                  // of the label, the directive (with its dot), the instruction (prefix and all)
    std::vector<std::string> operands; // of an instruction
    std::string rest;                  // of a directive: everything behind its name
};

// Throws Refusal for what is none of them.
Statement parse(const std::string &line);

// An operand that is memory: displacement(base,index,scale), or a symbol alone.
struct Memory {
    std::string displacement, base, index, scale;
    bool of_core = false; // a variable that each core has for itself: counted from %fs
};
bool is_memory(const std::string &operand);
Memory memory_of(const std::string &operand);

// "%eax" belongs to "rax": the 64-bit name of a general register's part, or nothing for other operands.
std::string whole_register(const std::string &operand);
unsigned register_bytes(const std::string &operand); // 0: it is no register of a kernel's
bool is_symbol(const std::string &text);             // a plain name, with an ending such as @PLT at most
bool is_number(const std::string &text);             // decimal without zeros before it, or hexadecimal; a sign

} // namespace akgen::seal
