#include "rules.h"
#include <cctype>
#include <cstring>
#include <set>

namespace akgen::seal {

std::vector<std::string> symbols_in(const std::string &expression)
{
    std::vector<std::string> found;
    std::string word;
    for (size_t at = 0; at <= expression.size(); ++at) {
        const char c = at < expression.size() ? expression[at] : ',';
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$' || c == '@') {
            word += c;
            continue;
        }
        if (c != '+' && c != '-' && c != ',' && c != ' ' && c != '\t') {
            throw Refusal("HOST_INSTRUCTION", "an expression that the compiler does not write: " + expression);
        }
        if (!word.empty() && !is_number(word)) {
            if (!is_symbol(word)) {
                throw Refusal("HOST_INSTRUCTION", "a name that the compiler does not write: " + word);
            }
            found.push_back(word.substr(0, word.find('@')));
        }
        word.clear();
    }
    return found;
}

std::string checked_name(const std::string &name)
{
    static const std::set<std::string> known = {"memcpy", "memmove",     "memset",
                                                "memcmp", "__divmodti4", "__udivmodti4"}; // what write through pointers
    return known.count(name) ? "akgen_checked_" + name : "";
}

bool may_be_elsewhere(const std::string &name)
{
    // Arithmetic that g++ leaves to its own library, which is linked in: wide integers, half precision.
    static const std::set<std::string> arithmetic = {
        "__divti3",     "__udivti3",    "__modti3",      "__umodti3",     "__multi3",      "__popcountdi2",
        "__clzti2",     "__ctzti2",     "__extendhfsf2", "__extendhfdf2", "__truncsfhf2",  "__truncdfhf2",
        "__truncsfbf2", "__truncdfbf2", "__floattisf",   "__floattidf",   "__floatuntisf", "__floatuntidf",
        "__fixsfti",    "__fixdfti",    "__fixunssfti",  "__fixunsdfti",  "__mulsc3",      "__muldc3",
        "__divsc3",     "__divdc3"};
    // Of any other name, whoever reads the library says that nobody has it: all of the compiler's library begin so.
    const bool linked_in = begins(name, "__") || begins(name, "_Unwind") || begins(name, "akgen_");
    return !linked_in || arithmetic.count(name) || name == "__dso_handle";
}

bool is_own_name(const std::string &name) { return begins(name, "akgen_") || begins(name, ".Lakgen_"); }

bool is_shift(const std::string &instruction)
{
    static const std::set<std::string> shifts = {"shl", "sal", "shr", "sar",  "rol",
                                                 "ror", "rcl", "rcr", "shld", "shrd"};
    return shifts.count(instruction) > 0;
}

bool is_system_call(const std::string &instruction)
{
    static const std::set<std::string> calls = {"syscall", "sysenter", "int",   "int3",
                                                "into",    "vmcall",   "lcall", "ljmp"};
    return calls.count(instruction) > 0;
}

bool needs_operands(const std::string &instruction)
{
    static const std::set<std::string> alone = {"cltq", "cqto", "cltd", "cwtl", "cbtw",   "cwtd",
                                                "nop",  "cqo",  "cdq",  "cdqe", "endbr64"};
    return alone.count(instruction) == 0;
}

bool changes_stack_pointer(const Statement &instruction)
{
    static const std::set<std::string> looks = {"cmpq", "testq", "cmp", "test", "pushq", "push"};
    return !instruction.operands.empty() && whole_register(instruction.operands.back()) == "rsp" &&
           looks.count(instruction.name) == 0;
}

unsigned scalar_cycles(const std::string &instruction)
{
    for (const char *slow : {"div", "idiv", "sqrt"}) {
        if (begins(instruction, slow)) {
            return 8;
        }
    }
    return 1;
}

} // namespace akgen::seal
