// The operands of instructions: which there may be, and the check of an address before it is used.
#include "device/guest_fields.h"
#include "rewriter.h"
#include <cstdlib>

namespace akgen::seal {

namespace {
constexpr long furthest_below = -32768, furthest_above = 32768; // of the stack pointer: the stack's margins are wider

[[noreturn]] void refuse_address(const std::string &operand)
{
    refuse("an address that the compiler does not write: " + operand);
}

// So near the stack pointer that the stack's margins hold it.
bool in_frame(const Memory &m)
{
    if (m.base != "%rsp" || !m.index.empty() || m.of_core) {
        return false;
    }
    const long distance = m.displacement.empty() ? 0 : std::strtol(m.displacement.c_str(), nullptr, 0);
    return distance > furthest_below && distance < furthest_above;
}

unsigned register_beside(const Statement &s)
{
    unsigned beside = 0;
    for (const std::string &operand : s.operands) {
        const unsigned bytes = register_bytes(operand);
        beside = bytes ? bytes : beside;
    }
    return beside;
}
} // namespace

bool is_reserved(const std::string &operand) // shadow stack, guest context, scratch
{
    const std::string whole = whole_register(operand);
    return whole == "r13" || whole == "r14" || whole == "r15";
}

void Rewriter::require_address(const Memory &m, const std::string &operand)
{
    const bool own = m.base == "%rip";
    for (const std::string &part : {m.base, m.index}) {
        if (!part.empty() && !(own && part == m.base) && (register_bytes(part) != 8 || is_reserved(part))) {
            refuse("the register " + part);
        }
    }
    if (m.of_core && (own || (m.base.empty() && !m.displacement.empty() && operand != "%fs:0"))) {
        refuse_address(operand);
    }
    if (own) {
        const std::vector<std::string> symbols = symbols_in(m.displacement);
        if (symbols.size() != 1 || !m.index.empty()) {
            refuse_address(operand);
        }
        use(symbols[0]);
    } else if (!m.displacement.empty() && !is_number(m.displacement)) {
        refuse_address(operand);
    }
    if (!m.scale.empty() && m.scale != "1" && m.scale != "2" && m.scale != "4" && m.scale != "8") {
        refuse_address(operand);
    }
}

// Leave the address in %r15, checked.
void Rewriter::check_address(const std::string &operand, unsigned bytes, bool write, size_t at)
{
    const Memory m = memory_of(operand);
    if (m.of_core) { // no instruction gives such an address, and the flags may be wanted
        put("movq %fs:0, %r15");
        put("leaq " + m.displacement + "(%r15" + (m.base.empty() ? "" : "," + m.base) + "), %r15");
        if (!m.index.empty()) {
            put("leaq (%r15," + m.index + "," + (m.scale.empty() ? "1" : m.scale) + "), %r15");
        }
    } else {
        put("leaq " + operand + ", %r15");
    }
    put(std::string("call akgen_check_") + (write ? "store" : "load") + std::to_string(bytes) +
        (survey_.flags_live(at) ? "_flags" : "") + "@PLT");
}

void Rewriter::operands(const Statement &s, const Instruction &i, size_t at)
{
    const bool pop = s.name == "pop" || s.name == "popq";
    std::string text = s.name;
    for (size_t k = 0; k < s.operands.size(); ++k) {
        std::string operand = s.operands[k];
        if (operand.empty()) {
            refuse("operands of " + s.name);
        } else if (operand[0] == '$') {
            if (!is_number(operand.substr(1))) {
                refuse("an address as a number");
            }
        } else if (is_memory(operand)) {
            operand = memory_operand(s, i, k, at);
        } else if (operand[0] == '%') {
            const bool stack = whole_register(operand) == "rsp" && (pop || begins(s.name, "xchg"));
            if (!register_bytes(operand) || is_reserved(operand) || stack) {
                refuse("the register " + operand);
            }
        } else {
            refuse("operands of " + s.name);
        }
        text += (k ? ", " : " ") + operand;
    }
    if (s.operands.empty() && needs_operands(s.name)) {
        refuse(s.name + " without operands");
    }
    put(text);
}

// What stands in the place of operand `k`, which is memory: itself, or (%r15).
std::string Rewriter::memory_operand(const Statement &s, const Instruction &i, size_t k, size_t at)
{
    const std::string &operand = s.operands[k];
    const bool last = k + 1 == s.operands.size(), address_only = begins(s.name, "lea");
    const Memory m = memory_of(operand);
    require_address(m, operand);
    if (m.of_core && operand == "%fs:0" && !last && (s.name == "movq" || s.name == "addq")) {
        return operand;
    }
    if (address_only && m.of_core) {
        refuse_address(operand);
    }
    if (address_only && !last) {
        return operand;
    }
    if (i.last == Touch::none) {
        refuse("memory as an operand of " + s.name);
    }
    const bool write = (last && i.last == Touch::write) || begins(s.name, "xchg");
    const bool pop = s.name == "pop" || s.name == "popq", frame = in_frame(m);
    const unsigned bytes = i.bytes ? i.bytes : is_shift(s.name) ? 0 : register_beside(s);
    if (bytes == 0 || (pop && m.base == "%rsp")) {
        refuse_address(operand);
    }
    // A number of the compiler's, or an entry of the linker's table: there is no sum that could lead away from it.
    const bool constant = m.base == "%rip" && m.displacement.find_first_of("+-") == std::string::npos &&
                          (begins(m.displacement, ".LC") || m.displacement.find('@') != std::string::npos);
    if (frame || (constant && !write)) {
        return operand;
    }
    check_address(operand, bytes, write, at);
    return "(%r15)";
}

} // namespace akgen::seal
