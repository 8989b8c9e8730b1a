// Fields of the tilings of high-level interfaces, as F(type, name): the host and the device make their
// structures from one list. Kernels pass them on and do not look inside; only the shapes mean anything here.
#pragma once
// clang-format off

#define AKGEN_PLACES(F)                                                                                              \
    F(uint32_t, inputXSize) F(uint32_t, meanVarSize) F(uint32_t, numberOfTmpBuf) F(uint32_t, meanTmpTensorPos)       \
    F(uint32_t, meanTmpTensorSize) F(uint32_t, varianceTmpTensorPos) F(uint32_t, varianceTmpTensorSize)              \
    F(uint32_t, tmpBufSize) F(uint32_t, oneTmpSize) F(uint32_t, firstTmpStartPos) F(uint32_t, secondTmpStartPos)     \
    F(uint32_t, thirdTmpStartPos) F(uint32_t, loopRound) F(uint32_t, inputRoundSize) F(uint32_t, inputTailSize)      \
    F(uint32_t, inputTailPos) F(uint32_t, meanVarRoundSize) F(uint32_t, meanVarTailSize) F(uint32_t, meanVarTailPos) \
    F(uint32_t, bshCurLength) F(uint32_t, bsCurLength)
#define AKGEN_GROUP_NORM_FIELDS(F)                                                                                   \
    F(uint32_t, n) F(uint32_t, c) F(uint32_t, hw) F(uint32_t, g) F(uint32_t, d) F(uint32_t, hwAlignSize)             \
    F(uint32_t, dhwAlignSize) AKGEN_PLACES(F) F(float, factor) F(bool, smallShape)
#define AKGEN_BATCH_NORM_FIELDS(F)                                                                                   \
    F(uint32_t, originalBLength) F(uint32_t, meanVarSize) F(uint32_t, meanTmpTensorPos)                              \
    F(uint32_t, varianceTmpTensorPos) F(uint32_t, tmpBufSize) F(uint32_t, oneTmpSize) F(uint32_t, firstTmpStartPos)  \
    F(uint32_t, secondTmpStartPos) F(uint32_t, thirdTmpStartPos) F(uint32_t, loopRound) F(uint32_t, inputTailSize)   \
    F(uint32_t, inputTailPos) F(uint32_t, meanVarTailSize) F(uint32_t, meanVarTailPos) F(uint32_t, bshCurLength)     \
    F(uint32_t, shCurLength) F(float, firstDimValueBack) F(uint32_t, castHalfRepStride)                              \
    F(uint32_t, shCurLengthBlockNum) F(uint32_t, castHalfOutRepStride)
#define AKGEN_DEEP_NORM_FIELDS(F)                                                                                    \
    F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength) F(uint32_t, originalHLength) AKGEN_PLACES(F)      \
    F(float, lastDimValueBack)
#define AKGEN_SEPARATE_NORM_FIELDS(F)                                                                                \
    F(uint32_t, aLength) F(uint32_t, rLength) F(uint32_t, halfAddRepeatTimes) F(uint32_t, rHeadLength)               \
    F(float, k2Rec) F(float, k2RRec) F(uint32_t, inputXSize) F(uint32_t, meanVarSize) F(uint32_t, numberOfTmpBuf)    \
    F(uint32_t, varianceTmpTensorPos) F(uint32_t, varianceTmpTensorSize) F(uint32_t, tmpBufSize)                     \
    F(uint32_t, oneTmpSize) F(uint32_t, firstTmpStartPos) F(uint32_t, secondTmpStartPos)                             \
    F(uint32_t, thirdTmpStartPos) F(uint32_t, loopRound) F(uint32_t, inputRoundSize) F(uint32_t, inputTailSize)      \
    F(uint32_t, inputTailPos) F(uint32_t, meanVarRoundSize) F(uint32_t, meanVarTailSize) F(uint32_t, meanVarTailPos) \
    F(uint32_t, arCurLength) F(uint32_t, aCurLength) F(float, rValueBack)
#define AKGEN_NORM_GRAD_FIELDS(F)                                                                                    \
    F(uint32_t, stackBufferSize) F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength)                      \
    F(uint32_t, originalHLength) F(uint32_t, oneCalSize) F(uint32_t, nohCalSize) F(uint32_t, loopNum)                \
    F(uint32_t, tailSize) F(uint32_t, nohTailSize) F(uint32_t, tmpTensorBSHPos) F(uint32_t, tmpTensorBSHSize)        \
    F(uint32_t, pdVarTensorPos) F(uint32_t, pdVarTensorSize) F(uint32_t, pdMeanTensorPos)                            \
    F(uint32_t, pdMeanTensorSize) F(uint32_t, x1TensorPos) F(uint32_t, x1TensorSize) F(uint32_t, x2TensorPos)        \
    F(uint32_t, x2TensorSize) F(uint32_t, x3TensorPos) F(uint32_t, x3TensorSize) F(uint32_t, tmpTensorPos)           \
    F(uint32_t, tmpTensorSize) F(uint32_t, tmpTensor1Pos) F(uint32_t, tmpTensor1Size) F(uint32_t, tmpTensor2Pos)     \
    F(uint32_t, tmpTensor2Size) F(uint32_t, lastDimValueBack) F(uint32_t, lastDimValueBackMulTwo)
#define AKGEN_NORM_GRAD_BETA_FIELDS(F)                                                                               \
    F(uint32_t, stackBufferSize) F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength)                      \
    F(uint32_t, originalHLength) F(uint32_t, bshLength) F(uint32_t, bsLength) F(uint32_t, oneCalSize)                \
    F(uint32_t, numberOfTmpBuf) F(uint32_t, loopRound) F(uint32_t, inputTailSize) F(uint32_t, inputTailPos)          \
    F(uint32_t, bsTailSize) F(uint32_t, bshCurLength) F(uint32_t, bsCurLength) F(uint32_t, gammaTempTensorPos)       \
    F(uint32_t, betaTempTensorPos) F(uint32_t, inputDyTmpTensorPos) F(uint32_t, resForGammaTmpTensorPos)             \
    F(uint32_t, reserved)
#define AKGEN_PAD_FIELDS(F)                                                                                          \
    F(uint32_t, srcHeight) F(uint32_t, srcWidth) F(uint32_t, srcOriWidth) F(uint32_t, widthWithoutLastBlock)         \
    F(uint32_t, blocksPerRow) F(uint32_t, heightTiling) F(uint32_t, heightFractal) F(uint32_t, heightFractalTail)    \
    F(uint32_t, mainLoopOffset) F(uint32_t, tailBlockOffset) F(uint32_t, tmpBuffer1BlockNum)                         \
    F(uint32_t, tmpBuffer1RowNum) F(uint32_t, tmpBuffer2Offset) F(uint32_t, widthTiling) F(uint32_t, widthFractal)   \
    F(uint32_t, widthFractalTail) F(uint32_t, widthFractalTailAlingned) F(uint32_t, brcbTiling)                      \
    F(uint32_t, brcbFractal) F(uint32_t, brcbFractalTail) F(uint32_t, maxRepeatTimes)                                \
    F(uint32_t, brcbTilingRepeatTimes) F(uint32_t, brcbTilingRepeatTimesTail)                                        \
    F(uint32_t, brcbFractalTailRepeatTimes) F(uint32_t, brcbFractalTailRepeatTimesTail) F(uint32_t, reserved)
#define AKGEN_UNPAD_FIELDS(F)                                                                                        \
    F(uint32_t, srcHeight) F(uint32_t, srcWidth) F(uint32_t, tmpBuffer1BlockNum) F(uint32_t, tmpBuffer1RowNum)       \
    F(uint32_t, tmpBuffer2Offset) F(uint32_t, widthTiling) F(uint32_t, widthFractal) F(uint32_t, widthFractalTail)
#define AKGEN_CONFUSION_TRANSPOSE_FIELDS(F)                                                                          \
    F(uint32_t, param0) F(uint32_t, param1) F(uint32_t, param2) F(uint32_t, param3) F(uint32_t, param4)              \
    F(uint32_t, param5) F(uint32_t, param6) F(uint32_t, param7) F(uint32_t, param8) F(uint32_t, param9)              \
    F(uint32_t, param10) F(uint32_t, param11) F(uint32_t, param12) F(uint32_t, param13) F(uint32_t, param14)         \
    F(uint32_t, param15) F(uint32_t, param16) F(uint32_t, param17)
#define AKGEN_TOPK_FIELDS(F)                                                                                         \
    F(int32_t, tmpLocalSize) F(int32_t, allDataSize) F(int32_t, innerDataSize) F(uint32_t, sortRepeat)               \
    F(int32_t, mrgSortRepeat) F(int32_t, kAlignFourBytes) F(int32_t, kAlignTwoBytes) F(int32_t, maskOffset)          \
    F(int32_t, maskVreducev2FourBytes) F(int32_t, maskVreducev2TwoBytes) F(int32_t, mrgSortSrc1offset)               \
    F(int32_t, mrgSortSrc2offset) F(int32_t, mrgSortSrc3offset) F(int32_t, mrgSortTwoQueueSrc1Offset)                \
    F(int32_t, mrgFourQueueTailPara1) F(int32_t, mrgFourQueueTailPara2) F(int32_t, srcIndexOffset)                   \
    F(uint32_t, copyUbToUbBlockCount) F(int32_t, topkMrgSrc1MaskSizeOffset) F(int32_t, topkNSmallSrcIndexOffset)

// Every structure once: S(name, list of fields).
#define AKGEN_LIBRARY_TILINGS(S)                                                                                        \
    S(GroupNormTiling, AKGEN_GROUP_NORM_FIELDS)                                                                      \
    S(BatchNormTiling, AKGEN_BATCH_NORM_FIELDS)                                                                      \
    S(DeepNormTiling, AKGEN_DEEP_NORM_FIELDS)                                                                        \
    S(LayerNormSeparateTiling, AKGEN_SEPARATE_NORM_FIELDS)                                                           \
    S(LayerNormGradTiling, AKGEN_NORM_GRAD_FIELDS)                                                                   \
    S(LayerNormGradBetaTiling, AKGEN_NORM_GRAD_BETA_FIELDS)                                                          \
    S(PadTiling, AKGEN_PAD_FIELDS)                                                                                   \
    S(UnPadTiling, AKGEN_UNPAD_FIELDS)                                                                               \
    S(ConfusionTransposeTiling, AKGEN_CONFUSION_TRANSPOSE_FIELDS)                                                    \
    S(TopkTiling, AKGEN_TOPK_FIELDS)
