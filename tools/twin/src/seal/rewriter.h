// Writing the sealed text, statement by statement.
#pragma once
#include "rules.h"
#include "survey.h"
#include <sstream>

namespace akgen::seal {

constexpr const char *calls_section = "akgen_calls"; // names that a kernel calls and does not define, for who links it

std::string guest_field(int offset); // of device/guest.h, as an operand
bool is_reserved(const std::string &operand);

class Rewriter {
public:
    Rewriter(Survey &survey, Where &where) : survey_(survey), where_(where) {}
    std::string run();

private:
    void label(size_t at);
    void line_record(size_t at);
    void directive(size_t at);
    void alias(const Statement &s);
    void instruction(size_t at);
    void string_instruction(const Statement &s, const Instruction &i);
    void flow(const Statement &s, const Instruction &i, size_t at);
    void call(const std::string &to, size_t at);
    void check_names();

    // -- operands.cpp
    void operands(const Statement &s, const Instruction &i, size_t at);
    std::string memory_operand(const Statement &s, const Instruction &i, size_t k, size_t at);
    void require_address(const Memory &m, const std::string &operand);
    void check_address(const std::string &operand, unsigned bytes, bool write, size_t at);

    // -- stack.cpp
    void stack_pointer(const Statement &s, size_t next);
    void leave(size_t next);
    void after_run(const Statement &s, size_t next);
    void bound_stack(size_t next);

    void use(const std::string &symbol) { used_.emplace(symbol, where_); }
    void put(const std::string &text) { out_ << '\t' << text << '\n'; }

    Survey &survey_;
    Where &where_;
    std::map<std::string, Where> used_, jumps_, calls_;
    std::map<std::string, std::string> aliases_;
    std::ostringstream out_;
    size_t functions_ = 0;
    size_t files_until_ = 0; // line up to which records of files are written already
    int run_ = 0;            // of pushes, or of pops
};

} // namespace akgen::seal
