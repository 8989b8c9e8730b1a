#ifndef AKGEN_GRAPH_ASCEND_STRING_H
#define AKGEN_GRAPH_ASCEND_STRING_H
#include "akgen/host_api.h"

namespace ge {

// A string that crosses library borders.
class AKGEN_HOST_API AscendString {
public:
    AscendString() = default;
    AscendString(const char *text) : text_(text == nullptr ? "" : text) {}
    AscendString(const char *text, size_t length) : text_(text, length) {}
    const char *GetString() const { return text_.c_str(); }
    size_t GetLength() const { return text_.size(); }
    bool operator<(const AscendString &o) const { return text_ < o.text_; }
    bool operator>(const AscendString &o) const { return text_ > o.text_; }
    bool operator==(const AscendString &o) const { return text_ == o.text_; }
    bool operator!=(const AscendString &o) const { return text_ != o.text_; }
    bool operator==(const char *o) const { return text_ == o; }
    bool operator!=(const char *o) const { return text_ != o; }

private:
    std::string text_;
};

} // namespace ge
#endif
