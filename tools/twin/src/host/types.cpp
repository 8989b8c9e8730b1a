#include "graph/types.h"
#include "exe_graph/runtime/tensor.h"

namespace {

struct TypeRow {
    ge::DataType type;
    const char *name;
    int bits;
};
constexpr TypeRow kTypes[] = {
    {ge::DT_FLOAT, "DT_FLOAT", 32},
    {ge::DT_FLOAT16, "DT_FLOAT16", 16},
    {ge::DT_INT8, "DT_INT8", 8},
    {ge::DT_INT32, "DT_INT32", 32},
    {ge::DT_UINT8, "DT_UINT8", 8},
    {ge::DT_INT16, "DT_INT16", 16},
    {ge::DT_UINT16, "DT_UINT16", 16},
    {ge::DT_UINT32, "DT_UINT32", 32},
    {ge::DT_INT64, "DT_INT64", 64},
    {ge::DT_UINT64, "DT_UINT64", 64},
    {ge::DT_DOUBLE, "DT_DOUBLE", 64},
    {ge::DT_BOOL, "DT_BOOL", 8},
    {ge::DT_STRING, "DT_STRING", 128},
    {ge::DT_COMPLEX64, "DT_COMPLEX64", 64},
    {ge::DT_COMPLEX128, "DT_COMPLEX128", 128},
    {ge::DT_QINT8, "DT_QINT8", 8},
    {ge::DT_QINT16, "DT_QINT16", 16},
    {ge::DT_QINT32, "DT_QINT32", 32},
    {ge::DT_QUINT8, "DT_QUINT8", 8},
    {ge::DT_QUINT16, "DT_QUINT16", 16},
    {ge::DT_BF16, "DT_BF16", 16},
    {ge::DT_INT4, "DT_INT4", 4},
    {ge::DT_UINT1, "DT_UINT1", 1},
    {ge::DT_INT2, "DT_INT2", 2},
    {ge::DT_UINT2, "DT_UINT2", 2},
    {ge::DT_COMPLEX32, "DT_COMPLEX32", 32},
    {ge::DT_HIFLOAT8, "DT_HIFLOAT8", 8},
    {ge::DT_FLOAT8_E5M2, "DT_FLOAT8_E5M2", 8},
    {ge::DT_FLOAT8_E4M3FN, "DT_FLOAT8_E4M3FN", 8},
    {ge::DT_FLOAT8_E8M0, "DT_FLOAT8_E8M0", 8},
};

const TypeRow *row_of(ge::DataType type)
{
    for (const TypeRow &row : kTypes) {
        if (row.type == type) {
            return &row;
        }
    }
    return nullptr;
}

// clang-format off
constexpr const char *kFormats[] = {
    "NCHW", "NHWC", "ND", "NC1HWC0", "FRACTAL_Z", "NC1C0HWPAD", "NHWC1C0", "FSR_NCHW", "FRACTAL_DECONV", "C1HWNC0",
    "FRACTAL_DECONV_TRANSPOSE", "FRACTAL_DECONV_SP_STRIDE_TRANS", "NC1HWC0_C04", "FRACTAL_Z_C04", "CHWN",
    "FRACTAL_DECONV_SP_STRIDE8_TRANS", "HWCN", "NC1KHKWHWC0", "BN_WEIGHT", "FILTER_HWCK", "HASHTABLE_LOOKUP_LOOKUPS",
    "HASHTABLE_LOOKUP_KEYS", "HASHTABLE_LOOKUP_VALUE", "HASHTABLE_LOOKUP_OUTPUT", "HASHTABLE_LOOKUP_HITS",
    "C1HWNCoC0", "MD", "NDHWC", "FRACTAL_ZZ", "FRACTAL_NZ", "NCDHW", "DHWCN", "NDC1HWC0", "FRACTAL_Z_3D", "CN", "NC",
    "DHWNC", "FRACTAL_Z_3D_TRANSPOSE", "FRACTAL_ZN_LSTM", "FRACTAL_Z_G", "RESERVED", "ALL", "NULL", "ND_RNN_BIAS",
    "FRACTAL_ZN_RNN", "NYUV", "NYUV_A", "NCL",
};
// clang-format on

} // namespace

namespace ge {

int GetSizeByDataType(DataType type)
{
    const TypeRow *row = row_of(type);
    if (row == nullptr) {
        return -1;
    }
    return row->bits >= 8 ? row->bits / 8 : kDataTypeSizeBitOffset + row->bits;
}

int64_t GetSizeInBytes(int64_t count, DataType type)
{
    const TypeRow *row = row_of(type);
    if (row == nullptr || count < 0) {
        return -1;
    }
    return (count * row->bits + 7) / 8;
}

bool TypeUtils::GetDataTypeLength(DataType type, uint32_t &length_bytes)
{
    const TypeRow *row = row_of(type);
    if (row == nullptr || row->bits < 8) {
        return false;
    }
    length_bytes = static_cast<uint32_t>(row->bits / 8);
    return true;
}

std::string TypeUtils::DataTypeToSerialString(DataType type)
{
    const TypeRow *row = row_of(type);
    return row == nullptr ? "UNDEFINED" : row->name;
}

DataType TypeUtils::SerialStringToDataType(const std::string &text)
{
    for (const TypeRow &row : kTypes) {
        if (text == row.name) {
            return row.type;
        }
    }
    return DT_UNDEFINED;
}

AscendString TypeUtils::DataTypeToAscendString(const DataType &type)
{
    return AscendString(DataTypeToSerialString(type).c_str());
}

std::string TypeUtils::FormatToSerialString(Format format)
{
    const auto i = static_cast<size_t>(format);
    return i < std::size(kFormats) ? kFormats[i] : "RESERVED";
}

Format TypeUtils::SerialStringToFormat(const std::string &text)
{
    for (size_t i = 0; i < std::size(kFormats); ++i) {
        if (text == kFormats[i]) {
            return static_cast<Format>(i);
        }
    }
    return FORMAT_RESERVED;
}

AscendString TypeUtils::FormatToAscendString(const Format &format)
{
    return AscendString(FormatToSerialString(format).c_str());
}

bool TypeUtils::IsDataTypeValid(DataType type) { return row_of(type) != nullptr; }

bool TypeUtils::IsFormatValid(Format format) { return static_cast<size_t>(format) < std::size(kFormats); }

} // namespace ge

namespace gert {

int64_t Shape::GetShapeSize() const
{
    int64_t size = 1;
    for (size_t i = 0; i < num_; ++i) {
        if (dims_[i] < 0 || __builtin_mul_overflow(size, dims_[i], &size)) {
            return -1;
        }
    }
    return size;
}

} // namespace gert
