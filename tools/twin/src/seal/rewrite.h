// The seal: docs/twin.md has the rules and why they hold.
#pragma once
#include "assembly.h"

namespace akgen::seal {

// A refusal's place in the sources, as the line records of the text have it.
struct Where {
    std::string file;
    unsigned line = 0;
};

// Return the sealed text. Throws Refusal, and leaves its place in `where`.
std::string sealed(const std::string &text, Where &where);

} // namespace akgen::seal
