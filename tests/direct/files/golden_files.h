// Files of samples: read and write whole.
#ifndef DATA_UTILS_H
#define DATA_UTILS_H
#include <fstream>
#include <iostream>
#include <string>

inline bool ReadFile(const std::string &filePath, size_t &fileSize, void *buffer, size_t bufferSize)
{
    std::ifstream file(filePath, std::ios::binary | std::ios::ate);
    if (!file.is_open() || static_cast<size_t>(file.tellg()) > bufferSize) {
        std::cerr << "cannot read " << filePath << std::endl;
        return false;
    }
    fileSize = static_cast<size_t>(file.tellg());
    file.seekg(0);
    file.read(static_cast<char *>(buffer), static_cast<std::streamsize>(fileSize));
    return true;
}
inline bool WriteFile(const std::string &filePath, const void *buffer, size_t size)
{
    std::ofstream file(filePath, std::ios::binary);
    file.write(static_cast<const char *>(buffer), static_cast<std::streamsize>(size));
    return file.good();
}
#endif
