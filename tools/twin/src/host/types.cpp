// The data types and formats of op_host code: names, sizes, and back again.
#include "graph/types.h"
#include "exe_graph/runtime/tensor.h"
#include "keyed.h"

namespace {

struct TypeRow {
    ge::DataType type;
    const char *name;
    int bits;
};
#define AKGEN_TYPE(Name, bits) {ge::Name, #Name, bits}
constexpr TypeRow type_rows[] = {
    AKGEN_TYPE(DT_FLOAT, 32),      AKGEN_TYPE(DT_FLOAT16, 16),      AKGEN_TYPE(DT_INT8, 8),
    AKGEN_TYPE(DT_INT32, 32),      AKGEN_TYPE(DT_UINT8, 8),         AKGEN_TYPE(DT_INT16, 16),
    AKGEN_TYPE(DT_UINT16, 16),     AKGEN_TYPE(DT_UINT32, 32),       AKGEN_TYPE(DT_INT64, 64),
    AKGEN_TYPE(DT_UINT64, 64),     AKGEN_TYPE(DT_DOUBLE, 64),       AKGEN_TYPE(DT_BOOL, 8),
    AKGEN_TYPE(DT_STRING, 128),    AKGEN_TYPE(DT_COMPLEX64, 64),    AKGEN_TYPE(DT_COMPLEX128, 128),
    AKGEN_TYPE(DT_QINT8, 8),       AKGEN_TYPE(DT_QINT16, 16),       AKGEN_TYPE(DT_QINT32, 32),
    AKGEN_TYPE(DT_QUINT8, 8),      AKGEN_TYPE(DT_QUINT16, 16),      AKGEN_TYPE(DT_BF16, 16),
    AKGEN_TYPE(DT_INT4, 4),        AKGEN_TYPE(DT_UINT1, 1),         AKGEN_TYPE(DT_INT2, 2),
    AKGEN_TYPE(DT_UINT2, 2),       AKGEN_TYPE(DT_COMPLEX32, 32),    AKGEN_TYPE(DT_HIFLOAT8, 8),
    AKGEN_TYPE(DT_FLOAT8_E5M2, 8), AKGEN_TYPE(DT_FLOAT8_E4M3FN, 8), AKGEN_TYPE(DT_FLOAT8_E8M0, 8),
};
#undef AKGEN_TYPE

const TypeRow *row_of(ge::DataType type)
{
    for (const TypeRow &row : type_rows) {
        if (row.type == type) {
            return &row;
        }
    }
    return nullptr;
}

struct FormatRow {
    ge::Format key;
    const char *name;
};
#define AKGEN_FORMAT(Name) {ge::FORMAT_##Name, #Name}
constexpr FormatRow format_rows[] = {
    AKGEN_FORMAT(NCHW),
    AKGEN_FORMAT(NHWC),
    AKGEN_FORMAT(ND),
    AKGEN_FORMAT(NC1HWC0),
    AKGEN_FORMAT(FRACTAL_Z),
    AKGEN_FORMAT(NC1C0HWPAD),
    AKGEN_FORMAT(NHWC1C0),
    AKGEN_FORMAT(FSR_NCHW),
    AKGEN_FORMAT(FRACTAL_DECONV),
    AKGEN_FORMAT(C1HWNC0),
    AKGEN_FORMAT(FRACTAL_DECONV_TRANSPOSE),
    AKGEN_FORMAT(FRACTAL_DECONV_SP_STRIDE_TRANS),
    AKGEN_FORMAT(NC1HWC0_C04),
    AKGEN_FORMAT(FRACTAL_Z_C04),
    AKGEN_FORMAT(CHWN),
    AKGEN_FORMAT(FRACTAL_DECONV_SP_STRIDE8_TRANS),
    AKGEN_FORMAT(HWCN),
    AKGEN_FORMAT(NC1KHKWHWC0),
    AKGEN_FORMAT(BN_WEIGHT),
    AKGEN_FORMAT(FILTER_HWCK),
    AKGEN_FORMAT(HASHTABLE_LOOKUP_LOOKUPS),
    AKGEN_FORMAT(HASHTABLE_LOOKUP_KEYS),
    AKGEN_FORMAT(HASHTABLE_LOOKUP_VALUE),
    AKGEN_FORMAT(HASHTABLE_LOOKUP_OUTPUT),
    AKGEN_FORMAT(HASHTABLE_LOOKUP_HITS),
    AKGEN_FORMAT(C1HWNCoC0),
    AKGEN_FORMAT(MD),
    AKGEN_FORMAT(NDHWC),
    AKGEN_FORMAT(FRACTAL_ZZ),
    AKGEN_FORMAT(FRACTAL_NZ),
    AKGEN_FORMAT(NCDHW),
    AKGEN_FORMAT(DHWCN),
    AKGEN_FORMAT(NDC1HWC0),
    AKGEN_FORMAT(FRACTAL_Z_3D),
    AKGEN_FORMAT(CN),
    AKGEN_FORMAT(NC),
    AKGEN_FORMAT(DHWNC),
    AKGEN_FORMAT(FRACTAL_Z_3D_TRANSPOSE),
    AKGEN_FORMAT(FRACTAL_ZN_LSTM),
    AKGEN_FORMAT(FRACTAL_Z_G),
    AKGEN_FORMAT(RESERVED),
    AKGEN_FORMAT(ALL),
    AKGEN_FORMAT(NULL),
    AKGEN_FORMAT(ND_RNN_BIAS),
    AKGEN_FORMAT(FRACTAL_ZN_RNN),
    AKGEN_FORMAT(NYUV),
    AKGEN_FORMAT(NYUV_A),
    AKGEN_FORMAT(NCL),
};
#undef AKGEN_FORMAT
static_assert(akgen::twin::one_row_each(format_rows, ge::FORMAT_NCL) && ge::FORMAT_NCL + 1 == ge::FORMAT_END);

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
    for (const TypeRow &row : type_rows) {
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
    return i < std::size(format_rows) ? format_rows[i].name : "RESERVED";
}

Format TypeUtils::SerialStringToFormat(const std::string &text)
{
    for (const FormatRow &row : format_rows) {
        if (text == row.name) {
            return row.key;
        }
    }
    return FORMAT_RESERVED;
}

AscendString TypeUtils::FormatToAscendString(const Format &format)
{
    return AscendString(FormatToSerialString(format).c_str());
}

bool TypeUtils::IsDataTypeValid(DataType type) { return row_of(type) != nullptr; }

bool TypeUtils::IsFormatValid(Format format) { return static_cast<size_t>(format) < std::size(format_rows); }

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
