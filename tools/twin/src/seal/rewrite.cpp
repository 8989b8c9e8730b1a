#include "assembly.h"
#include "device/guest.h"
#include "rules.h"
#include <map>
#include <set>
#include <sstream>

namespace akgen::seal {

namespace {
using Kind = Statement::Kind;

constexpr long furthest_below = -32768, furthest_above = 32768; // of the stack pointer: the stack's margins are wider
constexpr int longest_pops = 16;

const std::set<std::string> reserved = {"r13", "r14", "r15"}; // shadow stack, guest context, scratch

[[noreturn]] void refuse(const std::string &text, const char *code = "HOST_INSTRUCTION") { throw Refusal(code, text); }

std::string field(int offset) { return std::to_string(offset) + "(%r14)"; }

class Rewriter {
public:
    explicit Rewriter(Where &where) : where_(where) {}

    std::string run(const std::string &text)
    {
        read(text);
        survey();
        write();
        check_names();
        return out_.str();
    }

private:
    struct Line {
        std::string text;
        Statement statement;
        bool code = false;  // in an executable section
        bool block = false; // a basic block begins here
    };

    void read(const std::string &text);
    void survey();
    void write();
    void check_names();

    bool enter_section(const Statement &s);
    void directive(const Line &line);
    void instruction(size_t at);
    void flow(const Statement &s, const Instruction &i, size_t at);
    void operands(const Statement &s, const Instruction &i, size_t at);
    void check_address(const std::string &operand, unsigned bytes, bool write, size_t at);
    void stack_pointer(const Statement &s, size_t next);
    void bound_stack(size_t next);
    bool flags_live(size_t at) const;
    unsigned work_of_block(size_t at) const;
    void note_place(const Statement &s);
    void use(const std::string &symbol) { used_.emplace(symbol, where_); }
    void put(const std::string &text) { out_ << '\t' << text << '\n'; }

    Where &where_;
    std::vector<Line> lines_;
    std::set<std::string> functions_, targets_, defined_;
    std::map<std::string, size_t> places_; // of labels in code
    std::map<std::string, Where> used_, jumps_, calls_;
    std::map<std::string, std::string> aliases_, files_;
    std::vector<bool> sections_; // executable or not; pushed and popped
    std::ostringstream out_;
    int pops_ = 0;
};

void Rewriter::read(const std::string &text)
{
    std::istringstream in(text);
    bool code = true; // an assembler begins in .text
    for (std::string line; std::getline(in, line);) {
        Line l;
        l.text = line;
        l.statement = parse(line);
        const Statement &s = l.statement;
        if (s.kind == Kind::directive) {
            note_place(s);
            if (s.name == ".pushsection") {
                sections_.push_back(code);
                code = false;
            } else if (s.name == ".popsection") {
                if (sections_.empty()) {
                    refuse("a section that was not begun ends");
                }
                code = sections_.back();
                sections_.pop_back();
            } else if (s.name == ".text" || s.name == ".data" || s.name == ".bss" || s.name == ".section") {
                code = enter_section(s);
            }
        }
        l.code = code;
        lines_.push_back(std::move(l));
    }
}

// Gather what names stand for, and where code can be jumped to.
void Rewriter::survey()
{
    std::set<std::string> typed;
    for (size_t at = 0; at < lines_.size(); ++at) {
        const Line &l = lines_[at];
        const Statement &s = l.statement;
        if (s.kind == Kind::directive && s.name == ".type" && s.rest.find("@function") != std::string::npos) {
            typed.insert(s.rest.substr(0, s.rest.find(',')));
        }
        if (s.kind == Kind::directive && (s.name == ".comm" || s.name == ".lcomm")) {
            defined_.insert(s.rest.substr(0, s.rest.find(',')));
        }
        if (s.kind == Kind::label) {
            defined_.insert(s.name);
            if (l.code) {
                places_[s.name] = at;
            }
        }
        Instruction i;
        if (s.kind == Kind::instruction && s.operands.size() == 1 && find_instruction(s.name, i) &&
            (i.flow == Flow::jump || i.flow == Flow::branch)) {
            targets_.insert(s.operands[0]);
        }
    }
    for (const std::string &name : defined_) {
        if (is_own_name(name)) {
            refuse("a definition of " + name + ", which is the seal's");
        }
    }
    for (const std::string &name : typed) {
        if (places_.count(name)) {
            functions_.insert(name);
        }
    }
    bool begins = true;
    for (Line &l : lines_) {
        const Statement &s = l.statement;
        if (!l.code || s.kind == Kind::blank || s.kind == Kind::directive) {
            continue;
        }
        if (s.kind == Kind::label) {
            begins = begins || targets_.count(s.name) || functions_.count(s.name);
            continue;
        }
        l.block = begins;
        Instruction i;
        begins = find_instruction(s.name, i) && i.flow != Flow::none;
    }
}

void Rewriter::write()
{
    where_ = {};
    size_t count = 0;
    for (size_t at = 0; at < lines_.size(); ++at) {
        const Line &l = lines_[at];
        const Statement &s = l.statement;
        switch (s.kind) {
        case Kind::blank: break;
        case Kind::directive:
            note_place(s);
            directive(l);
            break;
        case Kind::label:
            if (l.code && functions_.count(s.name)) {
                put("ud2"); // nobody comes here but by a call
                out_ << ".Lakgen_function" << count++ << ":\n" << l.text << '\n';
                put("movq (%rsp), %r15");
                put("movq %r15, (%r13)");
                put("leaq 8(%r13), %r13");
            } else {
                out_ << l.text << '\n';
            }
            break;
        case Kind::instruction:
            if (!l.code) {
                refuse("code in a section for data");
            }
            instruction(at);
            break;
        }
    }
    put(".section " + std::string(function_section) + ",\"a\"");
    for (size_t number = 0; number < count; ++number) {
        put(".long .Lakgen_function" + std::to_string(number) + " - .");
    }
}

void Rewriter::check_names()
{
    for (const auto &[name, where] : jumps_) {
        if (!places_.count(name) || functions_.count(name)) {
            where_ = where;
            refuse("a jump that leaves its function");
        }
    }
    for (const auto &[name, where] : calls_) {
        const auto alias = aliases_.find(name);
        const std::string &called = alias == aliases_.end() ? name : alias->second;
        if (!functions_.count(called) && (defined_.count(called) || aliases_.count(called))) {
            where_ = where;
            refuse("a call of what is no function");
        }
    }
    for (const auto &[name, where] : used_) {
        if (!defined_.count(name) && !aliases_.count(name) && !may_be_elsewhere(name)) {
            where_ = where;
            throw Refusal("HOST_NAME", name + " is no name that device code has");
        }
    }
}

bool Rewriter::enter_section(const Statement &s)
{
    if (s.name != ".section") {
        return s.name == ".text";
    }
    const std::string name = s.rest.substr(0, s.rest.find(','));
    const size_t open = s.rest.find('"');
    const size_t close = open == std::string::npos ? open : s.rest.find('"', open + 1);
    const std::string flags = open == std::string::npos ? "" : s.rest.substr(open + 1, close - open - 1);
    const bool code = name == ".text" || name.compare(0, 6, ".text.") == 0;
    const bool executable = flags.find('x') != std::string::npos;
    if ((code && !is_symbol(name)) || executable != (code && open != std::string::npos) ||
        (code && flags != "ax" && flags != "axG") || (!code && !is_data_section(name))) {
        refuse("a section of its own: " + name);
    }
    return code;
}

void Rewriter::note_place(const Statement &s)
{
    std::istringstream words(s.rest);
    if (s.name == ".file") { // number and one or two quoted names
        std::string number;
        words >> number;
        const size_t end = s.rest.rfind('"'), begin = end == std::string::npos ? end : s.rest.rfind('"', end - 1);
        if (begin != std::string::npos && is_number(number)) {
            files_[number] = s.rest.substr(begin + 1, end - begin - 1);
        }
    } else if (s.name == ".loc") {
        std::string number;
        unsigned line = 0;
        if (words >> number >> line) {
            where_ = {files_[number], line};
        }
    }
}

void Rewriter::directive(const Line &line)
{
    const Statement &s = line.statement;
    if (!is_directive(s.name, line.code)) {
        refuse("a directive that the compiler does not write: " + s.name);
    }
    if (line.code && (s.name == ".p2align" || s.name == ".align") && !is_plain_alignment(s.rest)) {
        refuse("padding of its own between instructions");
    }
    if (s.name == ".pushsection" && s.rest.compare(0, 11, "akgen_task,") != 0) {
        refuse("a section of its own: " + s.rest);
    }
    if (s.name == ".set") {
        const size_t comma = s.rest.find(',');
        const std::string name = s.rest.substr(0, comma),
                          of = comma == std::string::npos ? "" : s.rest.substr(comma + 1);
        if (!is_symbol(name) || !functions_.count(of) || defined_.count(name)) {
            refuse("a name for what is no function");
        }
        if (is_own_name(name)) {
            refuse("a definition of " + name + ", which is the seal's");
        }
        aliases_[name] = of;
    }
    if (holds_addresses(s.name)) {
        for (const std::string &symbol : symbols_in(s.rest)) {
            use(symbol);
        }
    }
    out_ << line.text << '\n';
}

unsigned Rewriter::work_of_block(size_t at) const
{
    unsigned work = 0;
    for (size_t k = at; k < lines_.size(); ++k) {
        const Line &l = lines_[k];
        if (l.statement.kind != Kind::instruction || !l.code) {
            continue;
        }
        if (k != at && l.block) {
            break;
        }
        work += scalar_cycles(l.statement.name);
    }
    return work;
}

// Whether an instruction from `at` on may look at the flags as they are before it.
bool Rewriter::flags_live(size_t at) const
{
    constexpr int far = 400;
    for (int step = 0; at < lines_.size() && step < far; ++step, ++at) {
        const Statement &s = lines_[at].statement;
        if (s.kind != Kind::instruction) {
            continue;
        }
        Instruction i;
        if (!find_instruction(s.name, i) || i.reads_flags) {
            return true;
        }
        if (i.sets_flags || i.flow == Flow::call || i.flow == Flow::ret || i.flow == Flow::trap) {
            return false;
        }
        if (i.flow == Flow::jump) {
            const auto to = places_.find(s.operands.empty() ? "" : s.operands[0]);
            if (to == places_.end()) {
                return true;
            }
            at = to->second;
        }
    }
    return true;
}

void Rewriter::instruction(size_t at)
{
    const Line &l = lines_[at];
    const Statement &s = l.statement;
    if (l.block) {
        if (const unsigned work = work_of_block(at)) {
            put("movq " + field(guest_work) + ", %r15");
            put("leaq " + std::to_string(work) + "(%r15), %r15");
            put("movq %r15, " + field(guest_work));
        }
    }
    if (s.name == "leave" || s.name == "leaveq") {
        put("movq %rbp, %rsp");
        bound_stack(at + 1);
        put("popq %rbp");
        bound_stack(at + 1);
        return;
    }
    Instruction i;
    if (!find_instruction(s.name, i)) {
        if (is_system_call(s.name)) {
            refuse("Candidate code holds a system call (" + s.name + ")", "SANDBOX_SYSCALL");
        }
        refuse("the processor's instruction " + s.name + "; a kernel has scalar code and calls");
    }
    const bool pop = s.name == "popq" || s.name == "pop";
    if (i.flow != Flow::none) {
        flow(s, i, at);
    } else if (i.text) {
        if (!s.operands.empty()) {
            refuse("operands of " + s.name);
        }
        const bool fill = s.name.compare(0, 8, "rep stos") == 0;
        put("call " + std::string(fill ? "akgen_check_fill" : "akgen_check_copy") + std::to_string(i.bytes) + "@PLT");
        put(s.name);
    } else {
        operands(s, i, at);
    }
    if (pop) {
        size_t next = at + 1;
        while (next < lines_.size() &&
               (lines_[next].statement.kind == Kind::blank || lines_[next].statement.kind == Kind::directive)) {
            ++next;
        }
        const bool more = next < lines_.size() && lines_[next].statement.kind == Kind::instruction &&
                          (lines_[next].statement.name == "popq" || lines_[next].statement.name == "pop");
        if (!more || ++pops_ == longest_pops) {
            pops_ = 0;
            bound_stack(at + 1);
        }
    } else {
        stack_pointer(s, at + 1);
    }
}

void Rewriter::flow(const Statement &s, const Instruction &i, size_t at)
{
    if (i.flow == Flow::ret) {
        if (!s.operands.empty()) {
            refuse("operands of ret");
        }
        put("leaq -8(%r13), %r13"); // where the call was made says the shadow stack
        put("movq (%r13), %r15");
        put("movq %r15, (%rsp)");
        put("ret");
        return;
    }
    if (i.flow == Flow::trap) {
        put(s.name);
        return;
    }
    if (s.operands.size() != 1) {
        refuse("operands of " + s.name);
    }
    const std::string &to = s.operands[0];
    if (i.flow != Flow::call) {
        if (!is_symbol(to) || to.find('@') != std::string::npos) {
            refuse("a jump to a computed place");
        }
        jumps_.emplace(to, where_);
        put(s.name + " " + to);
        return;
    }
    if (to[0] != '*') {
        const std::string name = to.substr(0, to.find('@'));
        if (!is_symbol(to) || to.find("@GOT") != std::string::npos) {
            refuse("a call of a computed place");
        }
        calls_.emplace(name, where_);
        use(name);
        const std::string own = checked_name(name);
        put("call " + (own.empty() ? to : own + "@PLT"));
        return;
    }
    const std::string place = to.substr(1);
    if (is_memory(place)) {
        check_address(place, 8, false, at);
        put("movq (%r15), %r15");
    } else if (register_bytes(place) == 8 && !reserved.count(whole_register(place)) && place != "%rsp") {
        put("movq " + place + ", %r15");
    } else {
        refuse("a call of a computed place");
    }
    put("call akgen_check_call@PLT"); // goes on to %r15 where that is a function of the kernel's
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
        (flags_live(at) ? "_flags" : "") + "@PLT");
}

void Rewriter::operands(const Statement &s, const Instruction &i, size_t at)
{
    const bool address_only = s.name.compare(0, 3, "lea") == 0;
    std::string text = s.name;
    unsigned beside = 0;
    for (const std::string &operand : s.operands) {
        const unsigned bytes = register_bytes(operand);
        beside = bytes ? bytes : beside;
    }
    for (size_t k = 0; k < s.operands.size(); ++k) {
        std::string operand = s.operands[k];
        const bool last = k + 1 == s.operands.size();
        if (operand.empty()) {
            refuse("operands of " + s.name);
        } else if (operand[0] == '$') {
            if (!is_number(operand.substr(1))) {
                refuse("an address as a number");
            }
        } else if (!is_memory(operand) && operand[0] == '%') {
            const bool exchanged = s.name.compare(0, 4, "xchg") == 0 && whole_register(operand) == "rsp";
            if (!register_bytes(operand) || reserved.count(whole_register(operand)) || exchanged) {
                refuse("the register " + operand);
            }
        } else if (is_memory(operand)) {
            const Memory m = memory_of(operand);
            for (const std::string &part : {m.base, m.index}) {
                if (!part.empty() && part != "%rip" &&
                    (register_bytes(part) != 8 || reserved.count(whole_register(part)))) {
                    refuse("the register " + part);
                }
            }
            const bool own = m.base == "%rip";
            if (m.of_core && (own || (m.base.empty() && !m.displacement.empty() && operand != "%fs:0"))) {
                refuse("an address that the compiler does not write: " + operand);
            }
            if (own) {
                const std::vector<std::string> symbols = symbols_in(m.displacement);
                if (symbols.size() != 1 || !m.index.empty()) {
                    refuse("an address that the compiler does not write: " + operand);
                }
                use(symbols[0]);
            } else if (!m.displacement.empty() && !is_number(m.displacement)) {
                refuse("an address that the compiler does not write: " + operand);
            }
            if (!m.scale.empty() && m.scale != "1" && m.scale != "2" && m.scale != "4" && m.scale != "8") {
                refuse("an address that the compiler does not write: " + operand);
            }
            if (m.of_core && operand == "%fs:0" && !last && (s.name == "movq" || s.name == "addq")) {
                text += (k ? ", " : " ") + operand;
                continue;
            }
            if (address_only && m.of_core) {
                refuse("an address that the compiler does not write: " + operand);
            }
            if (address_only && !last) {
                text += (k ? ", " : " ") + operand;
                continue;
            }
            if (i.last == Touch::none) {
                refuse("memory as an operand of " + s.name);
            }
            const bool write = (last && i.last == Touch::write) || s.name.compare(0, 4, "xchg") == 0;
            const bool frame = m.base == "%rsp" && m.index.empty() && !m.of_core;
            const long distance = m.displacement.empty() ? 0
                                  : frame                ? std::strtol(m.displacement.c_str(), nullptr, 0)
                                                         : 0;
            const unsigned bytes = i.bytes ? i.bytes : is_shift(s.name) ? 0 : beside;
            const bool pop = s.name.compare(0, 3, "pop") == 0;
            if (bytes == 0 || (pop && frame)) {
                refuse("an address that the compiler does not write: " + operand);
            }
            if (!(own && !write) && !(frame && distance > furthest_below && distance < furthest_above)) {
                check_address(operand, bytes, write, at);
                operand = "(%r15)";
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

void Rewriter::stack_pointer(const Statement &s, size_t next)
{
    if (!changes_stack_pointer(s)) {
        return;
    }
    static const std::set<std::string> known = {"subq", "addq", "leaq", "andq", "movq"};
    if (!known.count(s.name) || s.operands.back() != "%rsp") {
        refuse("a stack pointer that the compiler does not make");
    }
    const bool leaves_flags = s.name == "leaq" || s.name == "movq"; // of the others' flags no compiler makes use
    bound_stack(leaves_flags ? next : lines_.size());
}

// The flags are not those of before any more, which the code from `next` on must not want.
void Rewriter::bound_stack(size_t next)
{
    if (next < lines_.size() && flags_live(next)) {
        refuse("a condition that outlives the stack frame");
    }
    put("leaq 0(%rip), %r15"); // for the finding's place
    put("cmpq " + field(guest_low) + ", %rsp");
    put("jb akgen_stack_left@PLT");
    put("cmpq " + field(guest_high) + ", %rsp");
    put("ja akgen_stack_left@PLT");
}
} // namespace

std::string sealed(const std::string &text, Where &where) { return Rewriter(where).run(text); }

} // namespace akgen::seal
