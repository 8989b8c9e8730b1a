// The scalar integer and floating-point instructions of x86-64 that a compiler makes of C++ without vectors. What is
// not in here, such as system calls, packed arithmetic, segment registers and privileged instructions, is refused.
#include "rules.h"
#include <unordered_map>

namespace akgen::seal {

namespace {
using Table = std::unordered_map<std::string, Instruction>;

constexpr const char *conditions[] = {"o",  "no", "b",  "c",   "nae", "ae",  "nb", "nc", "e", "z",
                                      "ne", "nz", "be", "na",  "a",   "nbe", "s",  "ns", "p", "pe",
                                      "np", "po", "l",  "nge", "ge",  "nl",  "le", "ng", "g", "nle"};
struct Suffix {
    const char *letter;
    unsigned bytes;
};
constexpr Suffix suffixes[] = {{"b", 1}, {"w", 2}, {"l", 4}, {"q", 8}};

Instruction value(unsigned bytes, Touch last, bool reads_flags = false, bool sets_flags = false)
{
    Instruction i;
    i.bytes = bytes;
    i.last = last;
    i.reads_flags = reads_flags;
    i.sets_flags = sets_flags;
    return i;
}

void add_integer(Table &table)
{
    for (const Suffix &s : suffixes) {
        const auto add = [&](const char *name, Instruction i) {
            i.bytes = s.bytes;
            table[std::string(name) + s.letter] = i;
            i.bytes = 0; // as its register has
            table.emplace(name, i);
        };
        add("mov", value(0, Touch::write));
        for (const char *name : {"add", "sub", "and", "or", "xor", "neg"}) {
            add(name, value(0, Touch::write, false, true));
        }
        for (const char *name : {"cmp", "test"}) {
            add(name, value(0, Touch::read, false, true));
        }
        for (const char *name : {"adc", "sbb", "rcl", "rcr"}) {
            add(name, value(0, Touch::write, true));
        }
        for (const char *name :
             {"inc", "dec", "not", "shl", "sal", "shr", "sar", "rol", "ror", "shld", "shrd", "xchg"}) {
            add(name, value(0, Touch::write));
        }
        for (const char *name : {"imul", "mul", "div", "idiv", "bsf", "bsr", "tzcnt", "lzcnt", "popcnt"}) {
            add(name, value(0, Touch::read)); // of their last operand only a register is written
        }
        for (const char *condition : conditions) {
            add((std::string("cmov") + condition).c_str(), value(0, Touch::read, true));
        }
    }
    for (const char *name : {"lea", "leal", "leaq", "leaw"}) {
        table[name] = value(0, Touch::none);
    }
    for (const char *name : {"bt",     "btl",  "btq",    "bts",    "btsl", "btsq", "btr",  "btrl",   "btrq", "btc",
                             "btcl",   "btcq", "bswap",  "cltq",   "cqto", "cltd", "cwtl", "cbtw",   "cwtd", "movabsq",
                             "movabs", "nop",  "bswapl", "bswapq", "cqo",  "cdq",  "cdqe", "endbr64"}) {
        table[name] = value(0, Touch::none); // of registers only
    }
    for (const char *from : {"b", "w", "l"}) {
        for (const char *to : {"w", "l", "q"}) {
            const unsigned bytes = from[0] == 'b' ? 1 : from[0] == 'w' ? 2 : 4;
            table[std::string("movz") + from + to] = value(bytes, Touch::write);
            table[std::string("movs") + from + to] = value(bytes, Touch::write);
        }
    }
    for (const char *condition : conditions) {
        table[std::string("set") + condition] = value(1, Touch::write, true);
    }
    table["pushq"] = table["push"] = value(8, Touch::read);
    table["popq"] = table["pop"] = value(8, Touch::write);
}

void add_floating_point(Table &table)
{
    for (const Suffix &s : {Suffix{"s", 4}, Suffix{"d", 8}}) {
        const auto add = [&](const char *name, unsigned bytes, Touch last = Touch::read, bool flags = false) {
            table[std::string(name) + s.letter] = value(bytes, last, false, flags);
        };
        add("movs", s.bytes, Touch::write);
        for (const char *name : {"adds", "subs", "muls", "divs", "sqrts", "maxs", "mins", "rounds"}) {
            add(name, s.bytes);
        }
        add("ucomis", s.bytes, Touch::read, true);
        add("comis", s.bytes, Touch::read, true);
        for (const char *how : {"eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord"}) { // choices without a branch
            table["cmp" + std::string(how) + "s" + s.letter] = value(s.bytes, Touch::read);
        }
        for (const char *name : {"andp", "andnp", "orp", "xorp"}) { // signs and absolute values
            add(name, 16);
        }
        for (const char *name : {"movap", "movup"}) {
            add(name, 16, Touch::write);
        }
        for (const char *name : {"movlp", "movhp"}) {
            add(name, 8, Touch::write);
        }
        add("unpcklp", 16);
        add("movmskp", 16);
        add("shufp", 16);
    }
    for (const char *name : {"movdqa", "movdqu"}) {
        table[name] = value(16, Touch::write);
    }
    for (const char *name : {"pxor", "pand", "pandn", "por", "punpcklqdq", "pshufd", "punpckldq"}) {
        table[name] = value(16, Touch::read);
    }
    table["movd"] = value(4, Touch::write);
    table["movhlps"] = table["movlhps"] = value(16, Touch::read);
    table["pinsrw"] = value(2, Touch::read);
    table["pextrw"] = value(2, Touch::write);
    table["cvtss2sd"] = value(4, Touch::read);
    table["cvtsd2ss"] = value(8, Touch::read);
    for (const char *to : {"", "l", "q"}) {
        table[std::string("cvttss2si") + to] = table[std::string("cvtss2si") + to] = value(4, Touch::read);
        table[std::string("cvttsd2si") + to] = table[std::string("cvtsd2si") + to] = value(8, Touch::read);
        const unsigned bytes = to[0] == 'l' ? 4 : to[0] == 'q' ? 8 : 0;
        table[std::string("cvtsi2ss") + to] = table[std::string("cvtsi2sd") + to] = value(bytes, Touch::read);
    }
}

void add_flow(Table &table)
{
    const auto add = [&](const std::string &name, Flow flow) {
        Instruction i;
        i.flow = flow;
        i.bytes = 8; // of a place to go to that is read from memory
        table[name] = i;
    };
    add("jmp", Flow::jump);
    for (const char *condition : conditions) {
        add(std::string("j") + condition, Flow::branch);
        table[std::string("j") + condition].reads_flags = true;
    }
    add("call", Flow::call);
    add("ret", Flow::ret);
    add("ud2", Flow::trap);
    for (const Suffix &s : suffixes) {
        for (const char *name : {"rep stos", "rep movs"}) {
            Instruction i = value(s.bytes, Touch::none);
            i.text = true;
            table[std::string(name) + s.letter] = i;
        }
    }
}

Table make_table()
{
    Table table;
    add_integer(table);
    add_floating_point(table);
    add_flow(table);
    return table;
}
} // namespace

bool find_instruction(const std::string &name, Instruction &found)
{
    static const Table table = make_table();
    const auto at = table.find(name);
    if (at == table.end()) {
        return false;
    }
    found = at->second;
    return true;
}

} // namespace akgen::seal
