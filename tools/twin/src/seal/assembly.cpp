#include "assembly.h"
#include <cctype>
#include <cstring>
#include <unordered_map>

namespace akgen::seal {

namespace {
bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$'; }

std::string trimmed(const std::string &text)
{
    const size_t begin = text.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Quoted text must end where the assembler thinks that it does, and nothing outside may begin another statement.
void require_one_statement(const std::string &line)
{
    bool quoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '\0' || c == '\r' || static_cast<unsigned char>(c) >= 0x80) {
            if (!quoted || c == '\0' || c == '\r') {
                throw Refusal("HOST_INSTRUCTION", "a character that the assembler reads in its own way");
            }
        } else if (quoted && c == '\\') {
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && (c == ';' || c == '#' || c == '\'' || c == '\\' || c == '{' || c == '|' ||
                               (c == '/' && i + 1 < line.size() && (line[i + 1] == '*' || line[i + 1] == '/')))) {
            throw Refusal("HOST_INSTRUCTION", "more than one statement in a line of assembly");
        }
    }
    if (quoted) {
        throw Refusal("HOST_INSTRUCTION", "a text without an end");
    }
}

std::vector<std::string> split(const std::string &text)
{
    std::vector<std::string> parts;
    std::string part;
    int depth = 0;
    for (const char c : text) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ',' && depth == 0) {
            parts.push_back(trimmed(part));
            part.clear();
        } else {
            part += c;
        }
    }
    if (!trimmed(part).empty() || !parts.empty()) {
        parts.push_back(trimmed(part));
    }
    return parts;
}
} // namespace

bool is_number(const std::string &text)
{
    size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    const bool hex = text.compare(at, 2, "0x") == 0;
    at += hex ? 2 : 0;
    const bool octal = !hex && text.size() - at > 1 && text[at] == '0'; // which the compiler does not write
    if (at == text.size() || text.size() - at > 20 || octal) {
        return false;
    }
    for (; at < text.size(); ++at) {
        const auto c = static_cast<unsigned char>(text[at]);
        if (hex ? !std::isxdigit(c) : !std::isdigit(c)) {
            return false;
        }
    }
    return true;
}

bool is_symbol(const std::string &text)
{
    std::string name = text;
    for (const char *end : {"@PLT", "@GOTPCREL", "@gottpoff", "@dtpoff"}) {
        const size_t length = std::strlen(end);
        if (name.size() > length && name.compare(name.size() - length, length, end) == 0) {
            name.resize(name.size() - length);
            break;
        }
    }
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || name == ".") {
        return false;
    }
    for (const char c : name) {
        if (!is_name_char(c)) {
            return false;
        }
    }
    return true;
}

Statement parse(const std::string &line)
{
    Statement s;
    const std::string text = trimmed(line);
    if (text.empty() || text[0] == '#') { // a comment of the compiler's: the whole line
        return s;
    }
    require_one_statement(text);
    size_t end = 0;
    while (end < text.size() && is_name_char(text[end])) {
        ++end;
    }
    if (end == 0) {
        throw Refusal("HOST_INSTRUCTION", "assembly that the compiler does not write: " + text.substr(0, 60));
    }
    s.name = text.substr(0, end);
    if (end < text.size() && text[end] == ':') {
        if (end + 1 != text.size() || !is_symbol(s.name)) {
            throw Refusal("HOST_INSTRUCTION", "a label that the compiler does not write");
        }
        s.kind = Statement::Kind::label;
        return s;
    }
    if (end < text.size() && text[end] != ' ' && text[end] != '\t') {
        throw Refusal("HOST_INSTRUCTION", "assembly that the compiler does not write: " + text.substr(0, 60));
    }
    s.rest = trimmed(text.substr(end));
    if (!s.rest.empty() && (s.rest[0] == '=' || s.rest[0] == ':')) { // of any name, a directive's as well
        throw Refusal("HOST_INSTRUCTION", "a definition that the compiler does not write: " + text.substr(0, 60));
    }
    if (s.name[0] == '.') {
        s.kind = Statement::Kind::directive;
        return s;
    }
    s.kind = Statement::Kind::instruction;
    if (s.name == "rep") { // the instruction is its operand
        s.name += " " + s.rest;
        s.rest.clear();
    }
    s.operands = split(s.rest);
    return s;
}

bool is_memory(const std::string &operand)
{
    return !operand.empty() && operand[0] != '$' && operand[0] != '*' &&
           (operand[0] != '%' || operand.compare(0, 4, "%fs:") == 0);
}

Memory memory_of(const std::string &operand)
{
    Memory m;
    m.of_core = operand[0] == '%';
    const size_t open = operand.find('('), begin = m.of_core ? 4 : 0;
    m.displacement = trimmed(operand.substr(begin, open == std::string::npos ? open : open - begin));
    if (open == std::string::npos) {
        return m;
    }
    if (operand.back() != ')') {
        throw Refusal("HOST_INSTRUCTION", "an address that the compiler does not write: " + operand);
    }
    const std::vector<std::string> parts = split(operand.substr(open + 1, operand.size() - open - 2));
    m.base = parts.empty() ? "" : parts[0];
    m.index = parts.size() > 1 ? parts[1] : "";
    m.scale = parts.size() > 2 ? parts[2] : "";
    return m;
}

std::string whole_register(const std::string &operand)
{
    static const std::unordered_map<std::string, std::string> names = [] {
        std::unordered_map<std::string, std::string> all;
        for (const std::string whole : {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"}) {
            const std::string letter = whole[1] == 'x' ? whole.substr(0, 1) : whole;
            for (const std::string &name : {"r" + whole, "e" + whole, whole, letter + "l", letter + "h"}) {
                all["%" + name] = "r" + whole; // the last two with a letter of sp, bp, si, di: no such register
            }
        }
        for (int number = 8; number < 16; ++number) {
            const std::string whole = "r" + std::to_string(number);
            for (const char *part : {"", "d", "w", "b"}) {
                all["%" + whole + part] = whole;
            }
        }
        return all;
    }();
    const auto at = names.find(operand);
    return at == names.end() ? "" : at->second;
}

unsigned register_bytes(const std::string &operand)
{
    if (operand.compare(0, 4, "%xmm") == 0) {
        const std::string number = operand.substr(4);
        return is_number(number) && number.size() <= 2 && std::stoi(number) >= 0 && std::stoi(number) < 16 ? 16 : 0;
    }
    if (whole_register(operand).empty()) {
        return 0;
    }
    const char first = operand[1], last = operand.back();
    if (first == 'r') {
        return last == 'd' ? 4 : last == 'w' ? 2 : last == 'b' ? 1 : 8;
    }
    return first == 'e' ? 4 : last == 'l' || last == 'h' ? 1 : 2;
}

} // namespace akgen::seal
