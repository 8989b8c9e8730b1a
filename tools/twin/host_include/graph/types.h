// Element types, formats and status codes of the graph engine, with the vendor's values.
#ifndef AKGEN_GRAPH_TYPES_H
#define AKGEN_GRAPH_TYPES_H
#include "akgen/host_api.h"

namespace ge {

enum DataType {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT16 = 6,
    DT_UINT16 = 7,
    DT_UINT32 = 8,
    DT_INT64 = 9,
    DT_UINT64 = 10,
    DT_DOUBLE = 11,
    DT_BOOL = 12,
    DT_STRING = 13,
    DT_DUAL_SUB_INT8 = 14,
    DT_DUAL_SUB_UINT8 = 15,
    DT_COMPLEX64 = 16,
    DT_COMPLEX128 = 17,
    DT_QINT8 = 18,
    DT_QINT16 = 19,
    DT_QINT32 = 20,
    DT_QUINT8 = 21,
    DT_QUINT16 = 22,
    DT_RESOURCE = 23,
    DT_STRING_REF = 24,
    DT_DUAL = 25,
    DT_VARIANT = 26,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
    DT_UINT1 = 30,
    DT_INT2 = 31,
    DT_UINT2 = 32,
    DT_COMPLEX32 = 33,
    DT_HIFLOAT8 = 34,
    DT_FLOAT8_E5M2 = 35,
    DT_FLOAT8_E4M3FN = 36,
    DT_FLOAT8_E8M0 = 37,
    DT_MAX,
#ifdef ASCENDC_CPU_DEBUG
    akgen_dt_zero = 0,
#endif
};

enum Format {
    FORMAT_NCHW = 0,
    FORMAT_NHWC = 1,
    FORMAT_ND = 2,
    FORMAT_NC1HWC0 = 3,
    FORMAT_FRACTAL_Z = 4,
    FORMAT_NC1C0HWPAD = 5,
    FORMAT_NHWC1C0 = 6,
    FORMAT_FSR_NCHW = 7,
    FORMAT_FRACTAL_DECONV = 8,
    FORMAT_C1HWNC0 = 9,
    FORMAT_FRACTAL_DECONV_TRANSPOSE = 10,
    FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS = 11,
    FORMAT_NC1HWC0_C04 = 12,
    FORMAT_FRACTAL_Z_C04 = 13,
    FORMAT_CHWN = 14,
    FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS = 15,
    FORMAT_HWCN = 16,
    FORMAT_NC1KHKWHWC0 = 17,
    FORMAT_BN_WEIGHT = 18,
    FORMAT_FILTER_HWCK = 19,
    FORMAT_HASHTABLE_LOOKUP_LOOKUPS = 20,
    FORMAT_HASHTABLE_LOOKUP_KEYS = 21,
    FORMAT_HASHTABLE_LOOKUP_VALUE = 22,
    FORMAT_HASHTABLE_LOOKUP_OUTPUT = 23,
    FORMAT_HASHTABLE_LOOKUP_HITS = 24,
    FORMAT_C1HWNCoC0 = 25,
    FORMAT_MD = 26,
    FORMAT_NDHWC = 27,
    FORMAT_FRACTAL_ZZ = 28,
    FORMAT_FRACTAL_NZ = 29,
    FORMAT_NCDHW = 30,
    FORMAT_DHWCN = 31,
    FORMAT_NDC1HWC0 = 32,
    FORMAT_FRACTAL_Z_3D = 33,
    FORMAT_CN = 34,
    FORMAT_NC = 35,
    FORMAT_DHWNC = 36,
    FORMAT_FRACTAL_Z_3D_TRANSPOSE = 37,
    FORMAT_FRACTAL_ZN_LSTM = 38,
    FORMAT_FRACTAL_Z_G = 39,
    FORMAT_RESERVED = 40,
    FORMAT_ALL = 41,
    FORMAT_NULL = 42,
    FORMAT_ND_RNN_BIAS = 43,
    FORMAT_FRACTAL_ZN_RNN = 44,
    FORMAT_NYUV = 45,
    FORMAT_NYUV_A = 46,
    FORMAT_NCL = 47,
    FORMAT_END,
#ifdef ASCENDC_CPU_DEBUG
    akgen_format_zero = 0,
#endif
};

#ifdef ASCENDC_CPU_DEBUG
// A kernel in the same program has DT_FLOAT and its kin as macros, for #if: `akgen_dt_zero + 0`. Behind `ge::` that is
// still a value of this type.
constexpr DataType operator+(DataType zero, int value) { return static_cast<DataType>(static_cast<int>(zero) + value); }
constexpr Format operator+(Format zero, int value) { return static_cast<Format>(static_cast<int>(zero) + value); }
#endif

// A format with parts: the format itself, groups and C0 beside it.
inline int32_t GetFormatFromSub(int32_t primary_format, int32_t sub_format)
{
    return (primary_format & 0xff) | ((sub_format & 0xffff) << 8);
}
inline int32_t GetPrimaryFormat(int32_t format) { return format & 0xff; }
inline int32_t GetSubFormat(int32_t format) { return (format & 0xffff00) >> 8; }
inline bool HasSubFormat(int32_t format) { return GetSubFormat(format) > 0; }
inline int32_t GetFormatFromC0(int32_t format, int32_t c0_format) { return format | ((c0_format & 0xf) << 24); }
inline bool HasC0Format(int32_t format) { return (format & 0xf000000) != 0; }
inline int32_t GetC0Value(int32_t format) { return HasC0Format(format) ? 1 << (((format & 0xf000000) >> 24) - 1) : 0; }

using graphStatus = uint32_t;
using char_t = char;
using float32_t = float;
using float64_t = double;

constexpr uint32_t SUCCESS = 0;
constexpr uint32_t FAILED = 0xFFFFFFFFU;
constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFFU;
constexpr graphStatus GRAPH_PARAM_INVALID = 50331649U;
constexpr graphStatus GRAPH_NOT_CHANGED = 1343242304U;
constexpr int64_t UNKNOWN_DIM = -1;
constexpr int64_t UNKNOWN_DIM_NUM = -2;
constexpr int32_t kDataTypeSizeBitOffset = 1000;

// Return the bytes of one element; kDataTypeSizeBitOffset + bits for types below a byte; -1 if unknown.
AKGEN_HOST_API int GetSizeByDataType(DataType type);
// Return the bytes that `count` elements take; -1 if unknown.
AKGEN_HOST_API int64_t GetSizeInBytes(int64_t count, DataType type);

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
#ifdef ASCENDC_CPU_DEBUG
using ge::akgen_dt_zero;
using ge::akgen_format_zero;
#endif
#endif
