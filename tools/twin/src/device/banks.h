// Cycles that a vector instruction loses because its operands meet in the banks of the Unified Buffer.
//
// An address is {bank 2 bits, row 7, group 4, byte 5}: three banks of 128 rows in each of 16 groups. In one cycle a
// group gives one row to the readers, and a bank is either read or written. A repeat writes its results some cycles
// after it has read its sources, while later repeats read.
#pragma once
#include <cstdint>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct BankOperand { // of one repeat: `blocks` of 32 bytes, `block` apart; repeats are `repeat` apart. In blocks.
    const uint8_t *data;
    uint32_t blocks, block, repeat;
};

// Extra cycles of `repeats` repeats. `sources` has `count` entries. Lanes that a mask leaves off are taken to move.
uint32_t bank_stalls(uint32_t repeats, const BankOperand &dst, const BankOperand *sources, uint32_t count);

} // namespace akgen::twin
#pragma GCC visibility pop
