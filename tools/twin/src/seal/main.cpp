// as OPTION...: what g++ calls in place of the assembler (-B). Reads the compiler's text from standard input, seals it, and
// gives it to the machine's assembler. Status 1 and one message in g++'s form for text that cannot be sealed.
#include "rewrite.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

std::string read_all(int fd)
{
    std::string text;
    char part[1 << 16];
    for (ssize_t got; (got = read(fd, part, sizeof part)) > 0;) {
        text.append(part, static_cast<size_t>(got));
    }
    return text;
}

int fail(const char *what)
{
    std::fprintf(stderr, "akgen seal: %s: %s\n", what, std::strerror(errno));
    return 2;
}

// Give the text to the assembler as its standard input.
int assemble(const std::string &text, char **arguments)
{
    const int file = memfd_create("sealed", 0);
    if (file < 0) {
        return fail("no memory for the assembler's input");
    }
    for (size_t done = 0; done < text.size();) {
        const ssize_t wrote = write(file, text.data() + done, text.size() - done);
        if (wrote <= 0) {
            return fail("no memory for the assembler's input");
        }
        done += static_cast<size_t>(wrote);
    }
    lseek(file, 0, SEEK_SET);
    dup2(file, STDIN_FILENO);
    static char name[] = "as";
    arguments[0] = name;
    execvp(name, arguments);
    return fail("the assembler cannot be started");
}

} // namespace

int main(int, char **argv)
{
    akgen::seal::Where where;
    try {
        return assemble(akgen::seal::sealed(read_all(STDIN_FILENO), where), argv);
    } catch (const akgen::seal::Refusal &refusal) {
        const char *file = where.file.empty() ? "kernel" : where.file.c_str();
        std::fprintf(stderr, "%s:%u:0: error: AKGEN:%s: %s\n", file, where.line, refusal.code.c_str(), refusal.what());
        return 1;
    }
}
