// What the two libraries share: the way to the driver, which runs kernels on the twin, and the device's clock.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace rehearsal {
struct Answer {
    int code = 0;
    double number = 0; // bytes of workspace, or microseconds
    std::string text;
};
// A folder of one request below the exchange; the driver removes nothing of it.
std::string request_folder();
Answer ask(const std::string &folder, const std::string &json);
void passed(double us);                              // the device's clock goes on
void failed(int code, const std::string &text);      // what the next wait for the stream returns
int fault(const char *function);                     // the code that a test wants of a function, or 0
bool known_memory(const void *address, size_t bytes); // lies in what aclrtMalloc gave
size_t element_bytes(int type); // of a data type's number
} // namespace rehearsal
