// What the compiler writes beside instructions: a closed list of directives and of sections, with the form of each.
#include "rules.h"
#include <cctype>
#include <cstring>
#include <set>

namespace akgen::seal {

namespace {

bool is_plain_symbol(const std::string &text) { return is_symbol(text) && text.find('@') == std::string::npos; }

bool digit_first(const std::string &text) { return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])); }

// A name and what is said of it, without spaces around either.
std::pair<std::string, std::string> two(const std::string &rest)
{
    const size_t comma = rest.find(',');
    if (comma == std::string::npos) {
        return {rest, ""};
    }
    const size_t second = rest.find_first_not_of(" \t", comma + 1);
    return {rest.substr(0, comma), second == std::string::npos ? "" : rest.substr(second)};
}

// With no-operations between instructions.
bool is_plain_alignment(const std::string &operands)
{
    const size_t comma = operands.find(',');
    const std::string rest = comma == std::string::npos ? ",," : operands.substr(comma);
    return is_number(operands.substr(0, comma)) && begins(rest, ",,") && (rest == ",," || is_number(rest.substr(2)));
}

bool is_type(const std::string &rest)
{
    static const std::set<std::string> kinds = {"@function", "@object", "@gnu_unique_object", "@tls_object", "@notype"};
    return is_plain_symbol(two(rest).first) && kinds.count(two(rest).second); // no resolvers that run at load
}

bool is_common(const std::string &rest)
{
    const auto [name, sizes] = two(rest);
    const auto [bytes, alignment] = two(sizes);
    return is_plain_symbol(name) && is_number(bytes) && (alignment.empty() || is_number(alignment));
}

bool is_size(const std::string &rest)
{
    const auto [name, size] = two(rest);
    return is_plain_symbol(name) &&
           (is_number(size) || size == ".-" + name || size == ". - " + name || symbols_in(size).size() <= 2);
}

bool is_data_section(const std::string &name)
{
    for (const char *with : {".rodata", ".data", ".bss", ".tdata", ".tbss", ".debug_", ".comment", ".note.GNU-stack",
                             ".init_array", ".fini_array", ".ctors", ".dtors"}) {
        if (begins(name, with)) {
            return true;
        }
    }
    return false;
}

bool has_form(const Statement &s, bool in_code)
{
    static const std::set<std::string> numbers = {".byte",  ".value", ".long",    ".quad",    ".short", ".2byte",
                                                  ".4byte", ".8byte", ".uleb128", ".sleb128", ".octa"};
    static const std::set<std::string> linkage = {".globl", ".global",    ".weak",    ".hidden",
                                                  ".local", ".protected", ".internal"};
    const std::string &name = s.name, &rest = s.rest;
    if (name == ".text" || name == ".data" || name == ".bss" || name == ".popsection") {
        return rest.empty();
    }
    if (name == ".section" || name == ".set") {
        return true; // sections and aliases are looked at by themselves
    }
    if (name == ".pushsection") {
        return rest == "akgen_task,\"a\"";
    }
    if (linkage.count(name)) {
        return is_plain_symbol(rest);
    }
    if (name == ".type") {
        return is_type(rest);
    }
    if (name == ".size") {
        return is_size(rest);
    }
    if (name == ".comm") {
        return is_common(rest);
    }
    if (name == ".file" || name == ".ident") {
        return digit_first(rest) || begins(rest, "\"");
    }
    if (name == ".loc") {
        return digit_first(rest);
    }
    if (name == ".p2align" || name == ".align") {
        return in_code ? is_plain_alignment(rest) : digit_first(rest);
    }
    if (name == ".string" || name == ".ascii") {
        return !in_code && begins(rest, "\"");
    }
    if (name == ".zero") {
        return !in_code && is_number(rest);
    }
    return !in_code && numbers.count(name); // what they hold is looked at for its names
}
} // namespace

void require_directive(const Statement &s, bool in_code)
{
    if (!has_form(s, in_code)) {
        refuse("a directive that the compiler does not write: " + s.name + " " + s.rest.substr(0, 40));
    }
}

bool is_left_out(const std::string &directive) { return begins(directive, ".cfi_"); }

bool makes_function(const Statement &s, std::string &name)
{
    name = two(s.rest).first;
    return s.name == ".type" && two(s.rest).second == "@function";
}

bool changes_linkage(const std::string &directive)
{
    return directive == ".globl" || directive == ".global" || directive == ".weak" || directive == ".hidden" ||
           directive == ".protected" || directive == ".internal";
}

bool holds_addresses(const std::string &directive)
{
    return directive == ".quad" || directive == ".long" || directive == ".value" || directive == ".byte" ||
           directive == ".8byte" || directive == ".4byte" || directive == ".short" || directive == ".2byte" ||
           directive == ".octa" || directive == ".uleb128" || directive == ".sleb128";
}

bool begins_code(const Statement &s)
{
    if (s.name != ".section") {
        return s.name == ".text";
    }
    const std::string name = s.rest.substr(0, s.rest.find(','));
    const size_t open = s.rest.find('"');
    const size_t close = open == std::string::npos ? open : s.rest.find('"', open + 1);
    const std::string flags = open == std::string::npos ? "" : s.rest.substr(open + 1, close - open - 1);
    const bool code = name == ".text" || begins(name, ".text.");
    const bool executable = flags.find('x') != std::string::npos;
    if ((code && !is_plain_symbol(name)) || executable != (code && open != std::string::npos) ||
        (code && flags != "ax" && flags != "axG") || (!code && !is_data_section(name)) ||
        flags.find_first_not_of("awxMSGTR") != std::string::npos) {
        refuse("a section of its own: " + name);
    }
    return code;
}

} // namespace akgen::seal
