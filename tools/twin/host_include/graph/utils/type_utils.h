#ifndef AKGEN_GRAPH_TYPE_UTILS_H
#define AKGEN_GRAPH_TYPE_UTILS_H
#include "graph/ascend_string.h"
#include "graph/types.h"

namespace ge {

class AKGEN_HOST_API TypeUtils {
public:
    static bool GetDataTypeLength(DataType type, uint32_t &length_bytes);
    static std::string DataTypeToSerialString(DataType type); // "DT_FLOAT16"
    static DataType SerialStringToDataType(const std::string &text);
    static AscendString DataTypeToAscendString(const DataType &type);
    static std::string FormatToSerialString(Format format); // "ND"
    static Format SerialStringToFormat(const std::string &text);
    static AscendString FormatToAscendString(const Format &format);
    static bool IsDataTypeValid(DataType type);
    static bool IsFormatValid(Format format);
};

} // namespace ge
#endif
