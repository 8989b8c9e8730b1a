// Operand descriptions of the cube instructions. Names, order and defaults are the vendor's.
#pragma once
#include "ascendc/params.h"

enum QuantMode_t {
    NoQuant = 0,
    F322F16 = 1,
    VQF322B8_PRE = 2,
    QF322B8_PRE = 3,
    VDEQF16 = 4,
    DEQF16 = 5,
    VREQ8 = 8,
    REQ8 = 9,
    F322BF16 = 16,
};

namespace AscendC {

enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
    CO2Layout format;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};
enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };
enum class HF32Mode : uint8_t { DISABLE = 0, ENABLE = 1 };
enum class HF32TransMode : uint8_t { NEAREST_EVEN = 0, NEAREST_ZERO = 1 };

struct Nd2NzParams {
    uint16_t ndNum = 0;
    uint16_t nValue = 0;
    uint16_t dValue = 0;
    uint16_t srcNdMatrixStride = 0;
    uint16_t srcDValue = 0;
    uint16_t dstNzC0Stride = 0;
    uint16_t dstNzNStride = 0;
    uint16_t dstNzMatrixStride = 0;

    constexpr Nd2NzParams() {}
    constexpr Nd2NzParams(uint16_t matrices, uint16_t n, uint16_t d, uint16_t src_matrix, uint16_t src_d,
                          uint16_t dst_c0, uint16_t dst_n, uint16_t dst_matrix)
        : ndNum(matrices), nValue(n), dValue(d), srcNdMatrixStride(src_matrix), srcDValue(src_d), dstNzC0Stride(dst_c0),
          dstNzNStride(dst_n), dstNzMatrixStride(dst_matrix)
    {
    }
};

struct LoadData2DParams {
    uint16_t startIndex = 0;
    uint16_t dstGap = 0;
    uint16_t srcStride = 0;
    bool ifTranspose = false;
    uint8_t repeatTimes = 0;
    uint8_t sid = 0;
    uint8_t addrMode = 0;

    constexpr LoadData2DParams() {}
    constexpr LoadData2DParams(uint16_t start, uint8_t times, uint16_t stride, uint8_t sid_, uint16_t gap,
                               bool transpose, uint8_t mode)
        : startIndex(start), dstGap(gap), srcStride(stride), ifTranspose(transpose), repeatTimes(times), sid(sid_),
          addrMode(mode)
    {
    }
};
using LoadData2dParams = LoadData2DParams; // an older spelling

struct LoadData2dTransposeParams {
    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0;
    uint16_t dstGap = 0;
    uint16_t dstFracGap = 0;
    uint8_t addrMode = 0;

    constexpr LoadData2dTransposeParams() {}
    constexpr LoadData2dTransposeParams(uint16_t start, uint8_t times, uint16_t stride, uint16_t gap, uint16_t between,
                                        uint8_t mode = 0)
        : startIndex(start), repeatTimes(times), srcStride(stride), dstGap(gap), dstFracGap(between), addrMode(mode)
    {
    }
};

template <typename T> struct LoadData3DParamsV2 {
    uint8_t padList[4] = {0, 0, 0, 0};
    uint16_t l1H = 0;
    uint16_t l1W = 0;
    uint16_t channelSize = 0;
    uint16_t kExtension = 0;
    uint16_t mExtension = 0;
    uint16_t kStartPt = 0;
    uint16_t mStartPt = 0;
    uint8_t strideW = 1;
    uint8_t strideH = 1;
    uint8_t filterW = 1;
    uint8_t filterH = 1;
    uint8_t dilationFilterW = 1;
    uint8_t dilationFilterH = 1;
    bool enTranspose = false;
    bool enSmallK = false;
    T padValue = T{};
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;

    LoadData3DParamsV2() {}
    LoadData3DParamsV2(const uint8_t pads[4], uint16_t h, uint16_t w, uint16_t channels, uint16_t k, uint16_t m,
                       uint16_t k_start, uint16_t m_start, uint8_t stride_w, uint8_t stride_h, uint8_t filter_w,
                       uint8_t filter_h, uint8_t dilation_w, uint8_t dilation_h, bool transpose, bool small_k, T pad)
        : l1H(h), l1W(w), channelSize(channels), kExtension(k), mExtension(m), kStartPt(k_start), mStartPt(m_start),
          strideW(stride_w), strideH(stride_h), filterW(filter_w), filterH(filter_h), dilationFilterW(dilation_w),
          dilationFilterH(dilation_h), enTranspose(transpose), enSmallK(small_k), padValue(pad)
    {
        for (int i = 0; i < 4; ++i) {
            padList[i] = pads[i];
        }
    }
};
// The same in words: kExtension, mExtension, kStartPt and mStartPt of 16 bits; stride, filter and dilation, width before
// height, of 8 bits. What else LoadData takes is what SetFmatrix and SetLoadDataPaddingValue keep.
struct LoadData3DParamsV2Pro {
    uint16_t channelSize = 0;
    bool enTranspose = false;
    bool enSmallK = false;
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
    uint64_t extConfig = 0;
    uint64_t filterConfig = 0x10101010101;

    constexpr LoadData3DParamsV2Pro() {}
    constexpr LoadData3DParamsV2Pro(uint16_t channels, bool transpose, bool small_k, bool wide, bool high, bool ctrl,
                                    uint64_t ext, uint64_t filter)
        : channelSize(channels), enTranspose(transpose), enSmallK(small_k), filterSizeW(wide), filterSizeH(high),
          fMatrixCtrl(ctrl), extConfig(ext), filterConfig(filter)
    {
    }
};
// One word: height and width of 16 bits each, then four borders of 8 bits.
class SetFMatrixBitModeParams {
public:
    SetFMatrixBitModeParams() {}
    template <typename T> SetFMatrixBitModeParams(const LoadData3DParamsV2<T> &p)
    {
        SetL1H(p.l1H);
        SetL1W(p.l1W);
        SetPadList(p.padList);
    }
    void SetL1H(uint16_t height) { config0 = (config0 & ~uint64_t{0xffff}) | height; }
    void SetL1W(uint16_t width) { config0 = (config0 & ~(uint64_t{0xffff} << 16)) | uint64_t{width} << 16; }
    void SetPadList(const uint8_t pads[4])
    {
        config0 &= 0xffffffff;
        for (int i = 0; i < 4; ++i) {
            config0 |= uint64_t{pads[i]} << (32 + 8 * i);
        }
    }
    uint64_t GetConfig0() const { return config0; }

    uint64_t config0 = 0;
};
struct LoadDataRepeatParam {
    uint16_t repeatStride = 0;
    uint8_t repeatTime = 1;
    uint8_t repeatMode = 0;
    LoadDataRepeatParam() {}
    LoadDataRepeatParam(const uint16_t stride, const uint8_t time, const uint8_t mode)
        : repeatStride(stride), repeatTime(time), repeatMode(mode)
    {
    }
};
struct IsResetLoad3dConfig {
    bool isSetFMatrix = true;
    bool isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

struct MmadParams {
    uint16_t m = 0;
    uint16_t n = 0;
    uint16_t k = 0;
    bool isBias = false; // the older word for cmatrixInitVal = false
    int32_t fmOffset = 0;
    bool enSsparse = false;
    bool enWinogradA = false;
    bool enWinogradB = false;
    int8_t unitFlag = 0;
    bool gemvCtrl = false;
    bool kDirectionAlign = false;
    bool cmatrixSource = false;
    bool cmatrixInitVal = true;
    bool disableGemv = false;

    constexpr MmadParams() {}
    constexpr MmadParams(uint16_t m_, uint16_t n_, uint16_t k_, bool bias, int32_t offset, bool sparse, bool winograd_a,
                         bool winograd_b)
        : m(m_), n(n_), k(k_), isBias(bias), fmOffset(offset), enSsparse(sparse), enWinogradA(winograd_a),
          enWinogradB(winograd_b)
    {
    }
    constexpr MmadParams(uint16_t m_, uint16_t n_, uint16_t k_, uint8_t flag, bool source, bool init)
        : m(m_), n(n_), k(k_), unitFlag(static_cast<int8_t>(flag)), cmatrixSource(source), cmatrixInitVal(init)
    {
    }
};

struct FixpipeParamsV220 {
    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint16_t srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
    uint16_t ndNum = 1;
    uint16_t srcNdStride = 0;
    uint16_t dstNdStride = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    bool isChannelSplit = false;

    constexpr FixpipeParamsV220() {}
    constexpr FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst, bool relu)
        : nSize(n), mSize(m), srcStride(src), dstStride(dst), reluEn(relu)
    {
    }
    constexpr FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst, bool relu, QuantMode_t quant,
                                int64_t scale, uint16_t matrices, uint16_t src_matrix, uint16_t dst_matrix,
                                uint8_t flag)
        : nSize(n), mSize(m), srcStride(src), dstStride(dst), quantPre(quant), deqScalar(static_cast<uint64_t>(scale)),
          ndNum(matrices), srcNdStride(src_matrix), dstNdStride(dst_matrix), reluEn(relu), unitFlag(flag)
    {
    }
};
using FixpipeParams = FixpipeParamsV220;

struct DataCopyCO12DstParams {
    uint16_t sid = 0;
    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint32_t dstStride = 0;
    uint16_t srcStride = 0;
    uint8_t unitFlag = 0;
    uint8_t clipReluPre = 0;
    uint8_t eltWiseOp = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint8_t reluPre = 0;
    bool channelSplit = false;
    bool nz2ndEn = false;

    constexpr DataCopyCO12DstParams() {}
    constexpr DataCopyCO12DstParams(uint16_t n, uint16_t m, uint32_t dst, uint16_t src, QuantMode_t quant, uint8_t relu,
                                    bool split, bool nz2nd)
        : nSize(n), mSize(m), dstStride(dst), srcStride(src), quantPre(quant), reluPre(relu), channelSplit(split),
          nz2ndEn(nz2nd)
    {
    }
};

template <typename T> struct InitConstValueParams {
    uint16_t repeatTimes = 0;
    uint16_t blockNum = 0;
    uint16_t dstGap = 0;
    T initValue = T(0);

    InitConstValueParams() {}
    InitConstValueParams(uint16_t times, uint16_t blocks, uint16_t gap, T value)
        : repeatTimes(times), blockNum(blocks), dstGap(gap), initValue(value)
    {
    }
    InitConstValueParams(uint16_t times, T value) : repeatTimes(times), blockNum(1), initValue(value) {}
};

} // namespace AscendC
