#include "survey.h"
#include "rules.h"
#include <sstream>

namespace akgen::seal {

namespace {
using Kind = Statement::Kind;
}

Survey::Survey(const std::string &text, Where &where)
{
    std::istringstream in(text);
    std::vector<bool> sections; // executable or not; pushed and popped
    bool code = true;           // an assembler begins in .text
    for (std::string line; std::getline(in, line);) {
        Line l;
        l.text = line;
        l.statement = parse(line);
        const Statement &s = l.statement;
        if (s.kind == Kind::directive) {
            note_place(s, where);
            if (s.name == ".pushsection") {
                sections.push_back(code);
                code = false;
            } else if (s.name == ".popsection") {
                if (sections.empty()) {
                    throw Refusal("HOST_INSTRUCTION", "a section that was not begun ends");
                }
                code = sections.back();
                sections.pop_back();
            } else if (s.name == ".text" || s.name == ".data" || s.name == ".bss" || s.name == ".section") {
                code = begins_code(s);
            }
        }
        l.code = code;
        lines.push_back(std::move(l));
    }
    gather();
    find_blocks();
}

void Survey::gather()
{
    std::set<std::string> typed;
    for (size_t at = 0; at < lines.size(); ++at) {
        const Line &l = lines[at];
        const Statement &s = l.statement;
        std::string name;
        if (s.kind == Kind::directive && makes_function(s, name)) {
            typed.insert(name);
        }
        if (s.kind == Kind::directive && s.name == ".comm") {
            defined.insert(s.rest.substr(0, s.rest.find(',')));
        }
        if (s.kind == Kind::label) {
            defined.insert(s.name);
            if (l.code) {
                places[s.name] = at;
            }
        }
    }
    for (const std::string &name : defined) {
        if (is_own_name(name)) {
            throw Refusal("HOST_INSTRUCTION", "a definition of " + name + ", which is the seal's");
        }
    }
    for (const std::string &name : typed) {
        if (places.count(name)) {
            functions.insert(name);
        }
    }
}

void Survey::find_blocks()
{
    std::set<std::string> targets;
    Instruction i;
    for (const Line &l : lines) {
        const Statement &s = l.statement;
        if (s.kind == Kind::instruction && s.operands.size() == 1 && find_instruction(s.name, i) &&
            (i.flow == Flow::jump || i.flow == Flow::branch)) {
            targets.insert(s.operands[0]);
        }
    }
    bool begins = true;
    for (Line &l : lines) {
        const Statement &s = l.statement;
        if (!l.code || s.kind == Kind::blank || s.kind == Kind::directive) {
            continue;
        }
        if (s.kind == Kind::label) {
            begins = begins || targets.count(s.name) || functions.count(s.name);
            continue;
        }
        l.block = begins;
        begins = find_instruction(s.name, i) && i.flow != Flow::none;
    }
}

void Survey::note_place(const Statement &s, Where &where)
{
    std::istringstream words(s.rest);
    std::string number;
    if (s.name == ".file") { // number and one or two quoted names
        words >> number;
        const size_t end = s.rest.rfind('"'), begin = end == std::string::npos ? end : s.rest.rfind('"', end - 1);
        if (begin != std::string::npos && is_number(number)) {
            files_[number] = s.rest.substr(begin + 1, end - begin - 1);
        }
    } else if (s.name == ".loc") {
        unsigned line = 0;
        if (words >> number >> line) {
            where = {files_[number], line};
        }
    }
}

bool Survey::flags_live(size_t at) const
{
    constexpr int far = 400;
    for (int step = 0; at < lines.size() && step < far; ++step, ++at) {
        const Statement &s = lines[at].statement;
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
            const auto to = places.find(s.operands.empty() ? "" : s.operands[0]);
            if (to == places.end()) {
                return true;
            }
            at = to->second;
        }
    }
    return true;
}

unsigned Survey::work_of_block(size_t at) const
{
    unsigned work = 0;
    for (size_t k = at; k < lines.size(); ++k) {
        const Line &l = lines[k];
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

const Statement *Survey::next_instruction(size_t at) const
{
    while (at < lines.size() &&
           (lines[at].statement.kind == Kind::blank || lines[at].statement.kind == Kind::directive)) {
        ++at;
    }
    return at < lines.size() && lines[at].statement.kind == Kind::instruction ? &lines[at].statement : nullptr;
}

} // namespace akgen::seal
