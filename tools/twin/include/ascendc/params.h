// Operand descriptions of instructions: strides, gaps, padding. Names, order and defaults are the vendor's.
#pragma once
#include "ascendc/types.h"

namespace AscendC {

struct UnaryRepeatParams {
    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint16_t srcBlkStride = DEFAULT_BLK_STRIDE;
    uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint16_t srcRepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
    bool halfBlock = false;

    constexpr UnaryRepeatParams() {}
    constexpr UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint16_t dst_rep, uint16_t src_rep)
        : dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep), srcRepStride(src_rep)
    {
    }
    constexpr UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint16_t dst_rep, uint16_t src_rep, bool half_block)
        : dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep), srcRepStride(src_rep),
          halfBlock(half_block)
    {
    }
};

struct BinaryRepeatParams {
    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;

    constexpr BinaryRepeatParams() {}
    constexpr BinaryRepeatParams(uint8_t dst_blk, uint8_t src0_blk, uint8_t src1_blk, uint8_t dst_rep, uint8_t src0_rep,
                                 uint8_t src1_rep)
        : dstBlkStride(dst_blk), src0BlkStride(src0_blk), src1BlkStride(src1_blk), dstRepStride(dst_rep),
          src0RepStride(src0_rep), src1RepStride(src1_rep)
    {
    }
};

struct CopyRepeatParams {
    uint16_t dstStride = DEFAULT_BLK_STRIDE;
    uint16_t srcStride = DEFAULT_BLK_STRIDE;
    uint16_t dstRepeatSize = DEFAULT_REPEAT_STRIDE;
    uint16_t srcRepeatSize = DEFAULT_REPEAT_STRIDE;

    constexpr CopyRepeatParams() {}
    constexpr CopyRepeatParams(uint16_t dst_stride, uint16_t src_stride, uint16_t dst_repeat, uint16_t src_repeat)
        : dstStride(dst_stride), srcStride(src_stride), dstRepeatSize(dst_repeat), srcRepeatSize(src_repeat)
    {
    }
};

struct DataCopyParams {
    uint16_t blockCount = 1;
    uint16_t blockLen = 0;
    union {
        uint16_t srcGap = 0;
        uint16_t srcStride;
    };
    union {
        uint16_t dstGap = 0;
        uint16_t dstStride;
    };

    constexpr DataCopyParams() {}
    constexpr DataCopyParams(uint16_t count, uint16_t len, uint16_t src, uint16_t dst)
        : blockCount(count), blockLen(len), srcGap(src), dstGap(dst)
    {
    }
};

struct DataCopyExtParams {
    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
    uint32_t srcStride = 0;
    uint32_t dstStride = 0;
    uint32_t rsv = 0;

    constexpr DataCopyExtParams() {}
    constexpr DataCopyExtParams(uint16_t count, uint32_t len, uint32_t src, uint32_t dst, uint32_t reserved)
        : blockCount(count), blockLen(len), srcStride(src), dstStride(dst), rsv(reserved)
    {
    }
};

struct DataCopyPadParams {
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    uint64_t paddingValue = 0;

    constexpr DataCopyPadParams() {}
    constexpr DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value)
    {
    }
};

template <typename T> struct DataCopyPadExtParams {
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    T paddingValue = T(0);

    DataCopyPadExtParams() {}
    template <typename V>
    DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, V value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(static_cast<T>(value))
    {
    }
};
template <typename V> DataCopyPadExtParams(bool, uint8_t, uint8_t, V) -> DataCopyPadExtParams<V>;

struct DataCopyEnhancedParams {
    BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
    DeqScale deqScale = DeqScale::DEQ_NONE;
    uint64_t deqValue = 0;
    uint8_t sidStoreMode = 0;
    bool isRelu = false;
};

constexpr int32_t K_MAX_DIM = 8; // of slices
struct SliceInfo {
    uint32_t startIndex = 0;
    uint32_t endIndex = ONE_BLK_SIZE - 1;
    uint32_t stride = 0;
    uint32_t burstLen = ONE_BLK_SIZE;
    uint32_t shapeValue = 0;

    constexpr SliceInfo() {}
    constexpr SliceInfo(uint32_t start, uint32_t end, uint32_t gap, uint32_t burst, uint32_t shape = 0)
        : startIndex(start), endIndex(end), stride(gap), burstLen(burst), shapeValue(shape)
    {
    }
};

struct BrcbRepeatParams {
    uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;

    constexpr BrcbRepeatParams() {}
    constexpr BrcbRepeatParams(uint16_t blk, uint16_t rep) : dstBlkStride(blk), dstRepStride(rep) {}
};

struct GatherRepeatParams {
    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;

    constexpr GatherRepeatParams() {}
    constexpr GatherRepeatParams(uint8_t blk, uint8_t rep) : dstBlkStride(blk), dstRepStride(rep) {}
};

struct GatherMaskParams {
    uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
    uint16_t repeatTimes = 0;
    uint16_t src0RepeatStride = 0;
    uint8_t src1RepeatStride = 0;

    constexpr GatherMaskParams() {}
    constexpr GatherMaskParams(uint8_t blk, uint16_t times, uint16_t rep0, uint8_t rep1)
        : src0BlockStride(blk), repeatTimes(times), src0RepeatStride(rep0), src1RepeatStride(rep1)
    {
    }
};

struct LoadImageToLocalParams {
    uint16_t horizSize = 0;
    uint16_t vertSize = 0;
};

struct ShapeInfo {
    static constexpr uint8_t most_dims = K_MAX_SHAPE_DIM; // as it was when this was read
    uint8_t shapeDim = 0;
    uint8_t originalShapeDim = 0;
    uint32_t shape[most_dims > 0 ? most_dims : 1] = {};
    uint32_t originalShape[most_dims > 0 ? most_dims : 1] = {};
    DataFormat dataFormat = DataFormat::ND;

    ShapeInfo() {}
    ShapeInfo(uint8_t dims, const uint32_t sizes[], uint8_t original_dims, const uint32_t originals[],
              DataFormat format)
        : shapeDim(dims), originalShapeDim(original_dims), dataFormat(format)
    {
        for (uint8_t i = 0; i < dims && i < most_dims; ++i) {
            shape[i] = sizes[i];
        }
        for (uint8_t i = 0; i < original_dims && i < most_dims; ++i) {
            originalShape[i] = originals[i];
        }
    }
    ShapeInfo(uint8_t dims, const uint32_t sizes[], DataFormat format = DataFormat::ND)
        : ShapeInfo(dims, sizes, dims, sizes, format)
    {
    }
};

inline int GetShapeSize(const ShapeInfo &info)
{
    int size = 1;
    for (uint8_t i = 0; i < info.shapeDim; ++i) {
        size *= static_cast<int>(info.shape[i]);
    }
    return size;
}

} // namespace AscendC
