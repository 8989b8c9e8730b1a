#include "rewrite.h"
#include "device/guest_fields.h"
#include "rewriter.h"
#include <set>

namespace akgen::seal {

std::string guest_field(int offset) { return std::to_string(offset) + "(%r14)"; }

std::string Rewriter::run()
{
    using Kind = Statement::Kind;
    where_ = {};
    for (size_t at = 0; at < survey_.lines.size(); ++at) {
        const Line &l = survey_.lines[at];
        switch (l.statement.kind) {
        case Kind::blank: break;
        case Kind::directive: directive(at); break;
        case Kind::label: label(at); break;
        case Kind::instruction:
            if (!l.code) {
                refuse("code in a section for data");
            }
            instruction(at);
            break;
        }
    }
    check_names();
    put(".section " + std::string(function_section) + ",\"a\"");
    for (size_t number = 0; number < functions_; ++number) {
        put(".long .Lakgen_function" + std::to_string(number) + " - .");
    }
    put(".section " + std::string(calls_section) + ",\"\"");
    for (const auto &[name, where] : calls_) {
        if (!survey_.defined.count(name) && !aliases_.count(name) && name.rfind("__", 0) != 0) {
            put(".string \"" + name + "\"");
        }
    }
    return out_.str();
}

void Rewriter::label(size_t at)
{
    const Line &line = survey_.lines[at];
    const std::string &name = line.statement.name;
    if (!line.code || !survey_.functions.count(name)) {
        out_ << line.text << '\n';
        return;
    }
    put("ud2"); // nobody comes here but by a call
    out_ << ".Lakgen_function" << functions_++ << ":\n" << line.text << '\n';
    line_record(at + 1);
    put("leaq 0(%rip), %r15");                        // for the finding's place
    put("cmpq " + guest_field(guest_low) + ", %rsp"); // calls alone use up stack, or nothing of it
    put("jb akgen_stack_left@PLT");
    put("cmpq " + guest_field(guest_shadow_end) + ", %r13");
    put("jae akgen_stack_left@PLT");
    put("movq (%rsp), %r15");
    put("movq %r15, (%r13)");
    put("leaq 8(%r13), %r13");
}

// Give what is put before a function's first instruction that instruction's place.
void Rewriter::line_record(size_t at)
{
    std::string record;
    for (; at < survey_.lines.size() && survey_.lines[at].statement.kind != Statement::Kind::instruction; ++at) {
        const Line &l = survey_.lines[at];
        if (l.statement.name == ".file" && at >= files_until_) {
            directive(at);
        } else if (l.statement.name == ".loc") {
            record = l.text + '\n';
        }
    }
    files_until_ = at;
    out_ << record;
}

void Rewriter::directive(size_t at)
{
    const Line &line = survey_.lines[at];
    const Statement &s = line.statement;
    survey_.note_place(s, where_);
    if (is_left_out(s.name) || (s.name == ".file" && at < files_until_)) {
        return;
    }
    require_directive(s, line.code);
    if (s.name == ".set") {
        alias(s);
    }
    if (changes_linkage(s.name) && survey_.places.count(s.rest) && !survey_.functions.count(s.rest)) {
        refuse("a place in a function that other files see: " + s.rest);
    }
    if (holds_addresses(s.name)) {
        for (const std::string &symbol : symbols_in(s.rest)) {
            use(symbol);
        }
    }
    out_ << line.text << '\n';
}

void Rewriter::alias(const Statement &s)
{
    const size_t comma = s.rest.find(',');
    const std::string name = s.rest.substr(0, comma), of = comma == std::string::npos ? "" : s.rest.substr(comma + 1);
    if (!is_symbol(name) || !survey_.functions.count(of) || survey_.defined.count(name)) {
        refuse("a name for what is no function");
    }
    if (is_own_name(name)) {
        refuse("a definition of " + name + ", which is the seal's");
    }
    aliases_[name] = of;
}

void Rewriter::instruction(size_t at)
{
    const Line &l = survey_.lines[at];
    const Statement &s = l.statement;
    if (l.block) {
        if (const unsigned work = survey_.work_of_block(at)) {
            put("movq " + guest_field(guest_work) + ", %r15");
            put("leaq " + std::to_string(work) + "(%r15), %r15");
            put("movq %r15, " + guest_field(guest_work));
        }
    }
    if (s.name == "leave" || s.name == "leaveq") {
        leave(at + 1);
        return;
    }
    Instruction i;
    if (!find_instruction(s.name, i)) {
        if (is_system_call(s.name)) {
            refuse("Candidate code holds a system call (" + s.name + ")", "SANDBOX_SYSCALL");
        }
        refuse("the processor's instruction " + s.name + "; a kernel has scalar code and calls");
    }
    if (i.flow != Flow::none) {
        flow(s, i, at);
    } else if (i.text) {
        string_instruction(s, i);
    } else {
        operands(s, i, at);
    }
    stack_pointer(s, at + 1);
}

void Rewriter::string_instruction(const Statement &s, const Instruction &i)
{
    if (!s.operands.empty()) {
        refuse("operands of " + s.name);
    }
    const bool fill = s.name.compare(0, 8, "rep stos") == 0;
    put("call " + std::string(fill ? "akgen_check_fill" : "akgen_check_copy") + std::to_string(i.bytes) + "@PLT");
    put(s.name);
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
    if (i.flow == Flow::call) {
        call(to, at);
        return;
    }
    if (!is_symbol(to) || to.find('@') != std::string::npos) {
        refuse("a jump to a computed place");
    }
    jumps_.emplace(to, where_);
    put(s.name + " " + to);
}

void Rewriter::call(const std::string &to, size_t at)
{
    if (to[0] != '*') {
        const std::string name = to.substr(0, to.find('@'));
        if (!is_symbol(to) || to.find("@GOT") != std::string::npos || name[0] == '.') {
            refuse("a call of a computed place");
        }
        const std::string own = checked_name(name);
        if (own.empty()) {
            calls_.emplace(name, where_);
            use(name);
        }
        put("call " + (own.empty() ? to : own + "@PLT"));
        return;
    }
    const std::string place = to.substr(1);
    if (is_memory(place)) {
        require_address(memory_of(place), place);
        check_address(place, 8, false, at);
        put("movq (%r15), %r15");
    } else if (register_bytes(place) == 8 && !is_reserved(place) && place != "%rsp") {
        put("movq " + place + ", %r15");
    } else {
        refuse("a call of a computed place");
    }
    put("call akgen_check_call@PLT"); // goes on to %r15 where that is a function of the kernel's
}

void Rewriter::check_names()
{
    for (const auto &[name, where] : jumps_) {
        if (!survey_.places.count(name) || survey_.functions.count(name)) {
            where_ = where;
            refuse("a jump that leaves its function");
        }
    }
    for (const auto &[name, where] : calls_) {
        const auto alias = aliases_.find(name);
        const std::string &called = alias == aliases_.end() ? name : alias->second;
        if (!survey_.functions.count(called) && (survey_.defined.count(called) || aliases_.count(called))) {
            where_ = where;
            refuse("a call of what is no function");
        }
    }
    for (const auto &[name, where] : used_) {
        if (!survey_.defined.count(name) && !aliases_.count(name) && !may_be_elsewhere(name)) {
            where_ = where;
            throw Refusal("HOST_NAME", name + " is no name that device code has");
        }
    }
}

std::string sealed(const std::string &text, Where &where)
{
    Survey survey(text, where);
    return Rewriter(survey, where).run();
}

} // namespace akgen::seal
