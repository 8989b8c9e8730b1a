// What a text says about itself before it is rewritten: its statements, where code is, which names stand for what.
#pragma once
#include "rewrite.h"
#include <map>
#include <set>

namespace akgen::seal {

struct Line {
    std::string text;
    Statement statement;
    bool code = false;  // in an executable section
    bool block = false; // a basic block begins here
};

class Survey {
public:
    // Throws Refusal, and leaves its place in `where`.
    Survey(const std::string &text, Where &where);

    // Take note of line records, from which on `where` is another.
    void note_place(const Statement &s, Where &where);
    // Whether an instruction from `at` on may look at the flags as they are before it.
    bool flags_live(size_t at) const;
    // In simple scalar operations, of the block that begins at `at`.
    unsigned work_of_block(size_t at) const;
    // The instruction from `at` on, with nothing but directives before it, or nothing.
    const Statement *next_instruction(size_t at) const;

    std::vector<Line> lines;
    std::set<std::string> functions, defined;
    std::map<std::string, size_t> places; // of labels in code

private:
    void gather();
    void find_blocks();
    std::map<std::string, std::string> files_;
};

} // namespace akgen::seal
